// Requests https://host:port/ at 127.0.0.1 with Go's HTTP client, for each "host port" line of its input. For each it writes a line: "ok" if it
// got an answer, else the error.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
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
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	transport.DisableKeepAlives = true
	transport.Proxy = nil
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	}
	client := &http.Client{Transport: transport, Timeout: 10 * time.Second}
	fmt.Println(runtime.Version())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		host, port, _ := strings.Cut(lines.Text(), " ")
		response, err := client.Get("https://" + net.JoinHostPort(host, port) + "/")
		if err != nil {
			fmt.Println(strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		fmt.Println("ok")
		response.Body.Close()
	}
}
