#!/bin/sh
# The servers that the classic scenarios compare: Apache httpd and Tomcat 10 with one connector a port, and nginx, from
# Debian's packages, with everything that they write in one directory.
#
#   apt-get install --no-install-recommends apache2-bin libapache2-mod-jk tomcat10-common default-jre-headless
#   sh servers.sh start DIR [httpd|tomcat|nginx]     httpd and tomcat unless one is named
#   sh servers.sh stop DIR [httpd|tomcat|nginx]      all unless one is named
#
# ADDRESS (127.0.0.1), HTTPD_PORT (8080), NIO_PORT (8082), AJP_PORT (8009), NGINX_PORT (8087) and SIZES (0B to 32MiB) change
# what their names say; Tomcat's other ports are in server.xml, and TOMCAT_OPTS="-Dport.nio2=9084" changes one. MPM is
# httpd's: prefork, worker or event. With TOMCAT=10.0.0.5 httpd passes on to a Tomcat on another machine, which has to
# listen there. With LOG=on httpd and nginx write an access log.
set -eu
usage="usage: sh servers.sh start|stop DIR [httpd|tomcat|nginx]"
order=${1:?$usage}
dir=${2:?$usage}
which=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/sbin

export ADDRESS=${ADDRESS:-127.0.0.1} HTTPD_PORT=${HTTPD_PORT:-8080} AJP_PORT=${AJP_PORT:-8009} NIO_PORT=${NIO_PORT:-8082}
export NGINX_PORT=${NGINX_PORT:-8087} MPM=${MPM:-prefork}
export TOMCAT=${TOMCAT:-$ADDRESS}
SIZES=${SIZES:-0B 1KiB 4KiB 8KiB 16KiB 32KiB 64KiB 128KiB 256KiB 512KiB 1MiB 2MiB 4MiB 8MiB 16MiB 32MiB}

make_files() {
  mkdir -p "$dir/www/bytes" "$dir/nginx" "$dir/tomcat/conf" "$dir/tomcat/logs" "$dir/tomcat/temp" "$dir/tomcat/work"
  # httpd gives up root, and has to read them all the same.
  chmod 755 "$dir" "$dir/www" "$dir/www/bytes"
  for size in $SIZES; do
    case $size in
      *MiB) bytes=$((${size%MiB} * 1048576)) ;;
      *KiB) bytes=$((${size%KiB} * 1024)) ;;
      *B) bytes=${size%B} ;;
      *) echo "$size: expected a size such as 4KiB" >&2; exit 2 ;;
    esac
    [ -e "$dir/www/$size.bin" ] || head -c "$bytes" /dev/zero > "$dir/www/$size.bin"
    # At the path where `coordinator target` has as many.
    ln -f "$dir/www/$size.bin" "$dir/www/bytes/$size"
  done
  # 459 bytes, as in 2004. Tomcat answers the same path with page.jsp.
  [ -e "$dir/www/page.html" ] || head -c 459 /dev/zero | tr '\0' x > "$dir/www/page.html"
  cp "$here/page.jsp" "$dir/www/"
  cp "$here/server.xml" "$here/web.xml" "$dir/tomcat/conf/"
}

tomcat() {
  CATALINA_HOME=/usr/share/tomcat10 CATALINA_BASE=$dir/tomcat CATALINA_PID=$dir/tomcat.pid \
    CATALINA_OPTS="-Dwww=$dir/www -Daddress=$ADDRESS -Dport.ajp=$AJP_PORT -Dport.nio=$NIO_PORT ${TOMCAT_OPTS:-}" \
    /usr/share/tomcat10/bin/catalina.sh "$@" > /dev/null
}

httpd() {
  DIR=$dir apache2 -f "$here/httpd.conf" ${LOG:+-D LOG} "$@"
}

nginx_server() {
  log=off
  [ -z "${LOG:-}" ] || log=$dir/nginx-access.log
  sed -e "s|@DIR@|$dir|g; s|@LOG@|$log|; s|@ADDRESS@|$ADDRESS|; s|@PORT@|$NGINX_PORT|" "$here/nginx.conf" > "$dir/nginx.conf"
  nginx -e "$dir/nginx-error.log" -c "$dir/nginx.conf"
}

# Waits until a process has ended; not for ever.
await_end() {
  for _ in $(seq 100); do
    kill -0 "$1" 2> /dev/null || return 0
    sleep 0.1
  done
  kill -9 "$1" 2> /dev/null || true
}

case $order in
  start)
    mkdir -p "$dir"
    dir=$(cd "$dir" && pwd)
    make_files
    case $which in
      '') tomcat start; httpd -k start ;;
      tomcat) tomcat start ;;
      httpd) httpd -k start ;;
      nginx) nginx_server ;;
      *) echo "$usage" >&2; exit 2 ;;
    esac
    ;;
  stop)
    dir=$(cd "$dir" && pwd)
    for server in httpd tomcat nginx; do
      [ -z "$which" ] || [ "$which" = $server ] || continue
      [ -e "$dir/$server.pid" ] || continue
      pid=$(cat "$dir/$server.pid")
      kill "$pid" 2> /dev/null || true
      await_end "$pid"
      rm -f "$dir/$server.pid"
    done
    ;;
  *) echo "$usage" >&2; exit 2 ;;
esac
