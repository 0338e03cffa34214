#!/bin/sh
# After an installation and after an upgrade, of the deb and of the rpm. No service is
# enabled: each needs a line of configuration first.
set -e

if command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers remit.conf
elif ! getent passwd remit >/dev/null 2>&1; then
	useradd --system --user-group --home-dir /var/lib/remit --no-create-home --shell /usr/sbin/nologin remit
fi

# The first token is made before the first start.
install -d -m 0700 -o remit -g remit /var/lib/remit

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	# An upgrade: what runs is started again, as the new version.
	systemctl try-restart remit-serve.service remit-gateway.service remit-proxy.service
fi
