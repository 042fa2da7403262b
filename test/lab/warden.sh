#!/bin/sh
# Takes a lab down once its owner has gone, however it went: stdin is a pipe that only the owner holds open.
#
#   sh warden.sh LAB DIRECTORY     LAB begins the names of its namespaces
set -u
lab=${1:?usage: sh warden.sh LAB DIRECTORY}
directory=${2:?usage: sh warden.sh LAB DIRECTORY}

namespaces() {
  for path in /run/netns/"$lab"-*; do
    [ ! -e "$path" ] || echo "${path##*/}"
  done
}

inside() {
  for namespace in $(namespaces); do
    ip netns pids "$namespace" 2> /dev/null
  done
}

cat > /dev/null
# Again while there are any: what was being started may have come to life meanwhile.
for _ in $(seq 50); do
  pids=$(inside)
  [ -n "$pids" ] || break
  kill -9 $pids 2> /dev/null
  sleep 0.1
done
# Links, queues and the bridge go with the namespaces that they are in.
for namespace in $(namespaces); do
  ip netns delete "$namespace" 2> /dev/null
done
rm -rf "$directory"
