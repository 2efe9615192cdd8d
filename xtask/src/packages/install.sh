#!/bin/sh
# install.sh "REQUIRED PACKAGES" "OPTIONAL PACKAGES": installs them with apt-get, as root.
# A package's service is not started by its installation; a database that this installation
# brought is not started at the next boot either: Plimsoll runs its own, private ones.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

has() { apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; }

for package in $1 $2; do
  if ! has "$package"; then
    apt-get update
    break
  fi
done
wanted=$1
for package in $2; do
  if has "$package"; then wanted="$wanted $package"; fi
done

guard=/usr/sbin/policy-rc.d
if [ ! -e "$guard" ]; then
  trap 'rm -f "$guard"' EXIT
  trap 'exit 1' INT TERM
  printf '#!/bin/sh\nexit 101\n' >"$guard"
  chmod 755 "$guard"
fi

# shellcheck disable=SC2086 # the lists are words
if ! apt-get install -y --no-install-recommends $wanted; then
  echo "install.sh: trying once more with fresh package lists"
  apt-get update
  apt-get install -y --no-install-recommends $wanted
fi

case " $wanted " in
*" mariadb-server "*)
  if [ -d /run/systemd/system ]; then systemctl disable --quiet mariadb.service || true; fi ;;
esac
