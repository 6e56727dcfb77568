// Connects to each "host port" line of its input, at 127.0.0.1. Writes "ok", or why the certificate was refused, in a line.
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"time"
)

func main() {
	pem, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	fmt.Println(runtime.Version())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		host, port, _ := strings.Cut(lines.Text(), " ")
		dialer := &net.Dialer{Timeout: 5 * time.Second}
		config := &tls.Config{RootCAs: roots, ServerName: host}
		connection, err := tls.DialWithDialer(dialer, "tcp", "127.0.0.1:"+port, config)
		if err != nil {
			fmt.Println(strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		fmt.Println("ok")
		connection.Close()
	}
}
