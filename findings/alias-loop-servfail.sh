#!/bin/sh
# Guess:    for two CNAME records that lead to each other, a resolver answers NOERROR with the two records and no address.
# Happens:  unbound and BIND answer SERVFAIL without a record, with validation and without (CD=1), as for a zone whose servers fail. Only
#           a question for CNAME shows the records.
# Seen:     unbound 1.17.1, BIND 9.18.49 (both of Debian 12)
# Matters:  a monitor takes a lasting mistake in a zone for a short outage of its name servers.
#           Before you call SERVFAIL an outage, ask for CNAME and follow the targets yourself.
# Needs:    Debian 12 with unbound, bind9 and bind9-dnsutils
set -eu
folder=$(mktemp -d)
pids=
trap 'kill $pids; wait; rm -rf "$folder"' EXIT
cd "$folder"
printf '$TTL 60\n@ SOA ns root 1 60 60 60 60\n@ NS ns\nns A 127.0.0.1\nwww CNAME web\nweb CNAME www\n' >zone
cat >common <<END
options { directory "$folder"; pid-file none; session-keyfile none; listen-on-v6 { none; }; dnssec-validation no;
END
cat common - >authority <<END
  listen-on port 15301 { 127.0.0.1; }; recursion no; };
controls { };
zone "loop.example" { type primary; file "zone"; };
END
cat common - >resolver <<END
  listen-on port 15302 { 127.0.0.1; }; recursion yes; };
controls { };
zone "loop.example" { type forward; forward only; forwarders { 127.0.0.1 port 15301; }; };
END
cat >unbound.conf <<END
server:
  interface: 127.0.0.1
  port: 15303
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  do-not-query-localhost: no
  module-config: "iterator"
stub-zone:
  name: "loop.example"
  stub-addr: 127.0.0.1@15301
END
for config in authority resolver; do
  named -g -n 1 -c "$folder/$config" 2>/dev/null &
  pids="$pids $!"
done
unbound -d -p -c unbound.conf 2>/dev/null &
pids="$pids $!"
ask() { dig @127.0.0.1 -p "$@" +tries=20 +time=1 +noall +comments +answer | sed -n 's/.*status: \([A-Z]*\),.*/\1/p; /CNAME/p'; }
ready() { until dig @127.0.0.1 -p "$1" ns.loop.example +short +tries=1 +time=1 2>/dev/null | grep -q 127; do :; done; }
for port in 15301 15302 15303; do ready $port; done
for port in 15302 15303; do
  for flag in +nocdflag +cdflag; do
    seen=$(ask $port www.loop.example A $flag)
    echo "port $port, A $flag: $seen"
    [ "$seen" = SERVFAIL ]
  done
  seen=$(ask $port www.loop.example CNAME)
  echo "port $port, CNAME: $seen"
  case $seen in NOERROR*CNAME*web*) ;; *) exit 1 ;; esac
done
