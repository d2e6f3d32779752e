# What every .test file can use beside ordinary commands. The runner sets CHANDLER, HERE (this folder), ROOT (the
# repository), WORK (an empty folder for the test) and HOME (below it), and puts the kubectl under test into PATH.
# Where the run is about a version of HTTP (http_versions.py), its clients are told already, and HTTP_NOTES is the file for
# what the servers have spoken.

DATA=$WORK/data
LOG=$WORK/server.log
export KUBECONFIG=$DATA/admin.kubeconfig

eventually() { # COMMAND...: tries until it succeeds, at most 30 seconds; prints what the last try printed
  local deadline=$((SECONDS + 30)) said
  until said=$("$@" 2>&1); do
    if ((SECONDS >= deadline)); then
      printf '%s\n' "$said" "gave up: $*"
      return 1
    fi
    sleep 0.05
  done
  if [[ -n $said ]]; then printf '%s\n' "$said"; fi
}

says_it_is_ready_or_ended() { grep -q '^chandler is ready at ' "$WORK/ready" || ! kill -0 "$SERVER" 2>/dev/null; }

start_server() { # [FLAG...]: starts the server on $DATA and any free port; sets SERVER (process) and URL
  : >"$WORK/ready" # an earlier server's line must not be taken for this one's
  "$CHANDLER" serve --data-dir "$DATA" --listen 127.0.0.1:0 "$@" >>"$WORK/ready" 2>>"$LOG" &
  SERVER=$!
  eventually says_it_is_ready_or_ended || return
  URL=$(sed -n 's/^chandler is ready at \([^ ]*\) .*/\1/p' "$WORK/ready")
  if [[ -z $URL ]]; then
    SERVER=
    echo "the server did not start:"
    cat "$LOG"
    return 1
  fi
}

start_api_server() { # [FLAG...]: the API alone; nobody acts on the objects of the catalog or adds any
  start_server --controllers '*,-service-catalog' "$@"
}

note_http_versions() { # before a server ends: how many connections of HTTP/1.1 and of HTTP/2 it has had, but for this one
  if [[ -z ${HTTP_NOTES:-} ]]; then return; fi
  { admin_curl --max-time 10 -w '\nown_version %{http_version}\n' "$URL/metrics" 2>&1 || true; } | awk '
    $1 == "chandler_http_protocol_connections_total{protocol=\"http/1.1\"}" { one = $2 }
    $1 == "chandler_http_protocol_connections_total{protocol=\"h2\"}" { two = $2 }
    $1 == "own_version" { own = $2 }
    /^curl: / { problem = $0 }
    END {
      if (one == "" || two == "") print "unknown " problem
      else print one - (own == "1.1"), two - (own == "2")
    }' >>"$HTTP_NOTES"
}

stop_server() { # asks the server to stop; the exit code is the server's
  note_http_versions
  local process=$SERVER
  SERVER=
  kill -TERM "$process"
  wait "$process"
}

kill_server() { # gives the server no time for anything; the exit code is 137
  note_http_versions
  local process=$SERVER
  SERVER=
  kill -KILL "$process"
  wait "$process" 2>/dev/null
}

admin_curl() { # curl as the administrator
  curl -sS --cacert "$DATA/pki/ca.crt" --cert "$DATA/pki/admin.crt" --key "$DATA/pki/admin.key" "$@"
}

kubeconfig_with_token() { # TOKEN: prints a kubeconfig for the server that holds this credential alone
  cat <<END
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "$URL", certificate-authority: $DATA/pki/ca.crt}}]
users: [{name: u, user: {token: "$1"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
END
}

watchers_are() { # NUMBER: so many watches are open at the server
  kubectl get --raw /metrics | grep -x "apiserver_watchers $1" >/dev/null
}

finish() { # after the last command: a server that still runs must stop in good order
  if [[ -n ${SERVER:-} ]]; then stop_server; fi
}
