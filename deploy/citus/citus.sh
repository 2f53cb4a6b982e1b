#!/usr/bin/env bash
# Citus on Debian's Postgres 15: builds it, and starts a cluster of small servers on the loopback, to try it out and for the drill.
#   citus.sh build git-folder [tag]   a git folder of citusdata/citus; installs into Postgres 15, as root
#   citus.sh up folder port workers   a coordinator at 127.0.0.1:port and workers at the ports that follow, data in folder
#   citus.sh add folder port number   one more worker, the number-th
#   citus.sh down folder
set -euo pipefail
bin=/usr/lib/postgresql/15/bin
here=$(cd "$(dirname "$0")" && pwd)
packages="postgresql-15 postgresql-server-dev-15 build-essential flex bison libssl-dev liblz4-dev libzstd-dev libreadline-dev libxml2-dev libxslt1-dev libpam0g-dev libselinux1-dev libkrb5-dev libicu-dev zlib1g-dev"

as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups --reset-env "$@"; else "$@"; fi; }
ask() { as $bin/psql -qXtA -h 127.0.0.1 -p "$1" -U kutip -d kutip -c "$2"; }

start() { # folder number port
  local data="$1/$2"
  as $bin/initdb -D "$data" -U kutip -A trust >/dev/null
  {
    cat "$here/postgresql.conf"
    printf "port = %s\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '%s'\n" "$3" "$1"
    # From 15.20 on a server loads no other output plugins for replication than these. Without it no shard is split or moved.
    if as $bin/postgres -D "$data" -C output_plugin_libraries >/dev/null 2>&1; then printf "output_plugin_libraries = 'citus, pgoutput'\n"; fi
  } | as tee -a "$data/postgresql.conf" >/dev/null
  as $bin/pg_ctl -w -D "$data" -l "$1/$2.log" start >/dev/null
  as $bin/createdb -h 127.0.0.1 -p "$3" -U kutip kutip
  ask "$3" "create extension citus"
}

case "${1:-}" in
build)
  missing=$(for package in $packages; do dpkg -s "$package" >/dev/null 2>&1 || echo "$package"; done)
  if [ -n "$missing" ]; then echo "missing packages:" $missing >&2; exit 77; fi
  source=$(mktemp -d)
  trap 'rm -rf "$source"' EXIT
  tag=${3:-v13.2.2}
  git --git-dir="$(git -C "$2" rev-parse --absolute-git-dir)" archive "$tag" | tar x -C "$source"
  cd "$source"
  # Debian's 15.x has a function of this name too.
  perl -0pi -e 's/static (inline )?bool\s*\nhave_createdb_privilege\(void\)\s*\{.*?\n\}\n//s' src/include/pg_version_compat.h
  PATH=$bin:$PATH ./configure --without-libcurl >build.log 2>&1 && make -j"$(nproc)" >>build.log 2>&1 && make install >>build.log 2>&1 ||
    { tail -n 20 build.log >&2; exit 1; }
  echo "built Citus $tag"
  ;;
up)
  mkdir -p "$2"
  if [ "$(id -u)" = 0 ]; then chown postgres "$2"; fi
  for number in $(seq 0 "$4"); do start "$2" "$number" $(($3 + number)); done
  ask "$3" "select citus_set_coordinator_host('127.0.0.1', $3)" >/dev/null
  for number in $(seq 1 "$4"); do ask "$3" "select citus_add_node('127.0.0.1', $(($3 + number)))" >/dev/null; done
  echo "postgres://kutip@127.0.0.1:$3/kutip"
  ;;
add)
  start "$2" "$4" $(($3 + $4))
  ask "$3" "select citus_add_node('127.0.0.1', $(($3 + $4)))" >/dev/null
  ;;
down)
  for data in "$2"/[0-9]*/; do as $bin/pg_ctl -D "$data" -m immediate stop >/dev/null 2>&1 || true; done
  ;;
*)
  sed -n 2,7p "$0" >&2
  exit 2
  ;;
esac
