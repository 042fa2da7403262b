#!/bin/sh
# Pins the servers that servers.sh started in DIR to the first N CPUs of this machine: sh cpus.sh DIR N
set -eu
dir=${1:?usage: sh cpus.sh DIR N}
count=${2:?usage: sh cpus.sh DIR N}
if [ "$count" -gt "$(getconf _NPROCESSORS_ONLN)" ]; then
  echo "$count CPUs: this machine has $(getconf _NPROCESSORS_ONLN)" >&2
  exit 1
fi
httpd=$(cat "$dir/httpd.pid")
for pid in "$(cat "$dir/tomcat.pid")" "$httpd" $(pgrep -P "$httpd"); do
  # With all its threads; an httpd process may have ended meanwhile.
  taskset -a -c -p "0-$((count - 1))" "$pid" > /dev/null || [ ! -e "/proc/$pid" ]
done
