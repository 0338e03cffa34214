#!/bin/sh
# After a removal. What people decided and the log of it, in /var/lib/remit, stays unless
# the deb is purged.
set -e

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
if [ "$1" = purge ]; then
	rm -rf /var/lib/remit
fi
