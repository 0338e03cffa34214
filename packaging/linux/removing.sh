#!/bin/sh
# Before a removal. In an upgrade (deb: "upgrade", rpm: 1) the services keep running.
set -e

case "$1" in
remove | purge | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now remit-serve.service remit-gateway.service remit-proxy.service
	fi
	;;
esac
