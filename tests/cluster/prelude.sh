# What the tests here use beside the prelude of tests/e2e: a Kubernetes control plane without nodes. PEERS is the folder with its programs.

CLUSTER=$WORK/cluster
export KUBECONFIG=$CLUSTER/admin.kubeconfig

free_ports() { # NUMBER: prints so many ports that nobody listens on
  /usr/bin/python3 -c '
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))' "$1"
}

certificate() { # NAME SUBJECT [EXTENSION]: a key and a certificate by the cluster's authority
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "$2" -keyout "$CLUSTER/$1.key" 2>/dev/null |
    openssl x509 -req -days 2 -CA "$CLUSTER/ca.crt" -CAkey "$CLUSTER/ca.key" -CAcreateserial -out "$CLUSTER/$1.crt" \
      -extfile <(printf '%s\n' "extendedKeyUsage=serverAuth,clientAuth" "${3:-}") 2>/dev/null
}

kubeconfig() { # NAME: a kubeconfig for the holder of that certificate
  cat >"$CLUSTER/$1.kubeconfig" <<END
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "$URL", certificate-authority: $CLUSTER/ca.crt}}]
users: [{name: u, user: {client-certificate: $CLUSTER/$1.crt, client-key: $CLUSTER/$1.key}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
END
}

start_peer() { # PROGRAM [FLAG...]: in the background; it ends with the test
  local program=$1
  shift
  "$program" "$@" >"$CLUSTER/${program##*/}.log" 2>&1 &
  disown
}

start_cluster() { # etcd, kube-apiserver and kube-controller-manager; returns when namespaces have their service accounts
  local client peer port
  mkdir "$CLUSTER"
  read -r client peer port <<<"$(free_ports 3)"
  URL=https://127.0.0.1:$port
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=cluster -keyout "$CLUSTER/ca.key" \
    -out "$CLUSTER/ca.crt" 2>/dev/null
  openssl genrsa -out "$CLUSTER/accounts.key" 2048 2>/dev/null
  certificate server /CN=kube-apiserver subjectAltName=IP:127.0.0.1
  certificate admin /O=system:masters/CN=admin
  certificate controllers /CN=system:kube-controller-manager
  kubeconfig admin
  kubeconfig controllers
  start_peer etcd --data-dir "$CLUSTER/etcd" --listen-client-urls "http://127.0.0.1:$client" \
    --advertise-client-urls "http://127.0.0.1:$client" --listen-peer-urls "http://127.0.0.1:$peer" \
    --initial-advertise-peer-urls "http://127.0.0.1:$peer" --initial-cluster "default=http://127.0.0.1:$peer"
  start_peer "$PEERS/kube-apiserver" --etcd-servers "http://127.0.0.1:$client" --bind-address 127.0.0.1 --secure-port "$port" \
    --advertise-address 127.0.0.1 --endpoint-reconciler-type none --service-cluster-ip-range 10.96.0.0/16 \
    --tls-cert-file "$CLUSTER/server.crt" --tls-private-key-file "$CLUSTER/server.key" --client-ca-file "$CLUSTER/ca.crt" \
    --authorization-mode Node,RBAC --service-account-issuer "$URL" --service-account-key-file "$CLUSTER/accounts.key" \
    --service-account-signing-key-file "$CLUSTER/accounts.key"
  cluster_shows 'kubectl get --raw /readyz' || return # the controllers end when they find no server
  start_peer "$PEERS/kube-controller-manager" --kubeconfig "$CLUSTER/controllers.kubeconfig" --bind-address 127.0.0.1 \
    --secure-port 0 --leader-elect=false --use-service-account-credentials --root-ca-file "$CLUSTER/ca.crt" \
    --service-account-private-key-file "$CLUSTER/accounts.key"
  cluster_shows 'kubectl get serviceaccount default'
}

cluster_shows() { # COMMAND: waits until it succeeds; a control plane takes longer to start than anything of ours
  local deadline=$((SECONDS + 80))
  until $1 >/dev/null 2>&1; do
    if ((SECONDS >= deadline)); then
      echo "the control plane did not become ready:"
      tail -n 5 "$CLUSTER"/*.log
      return 1
    fi
    sleep 0.2
  done
}
