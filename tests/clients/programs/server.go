// Serves https on a free port of 127.0.0.1. Each argument is a PEM file with a certificate, its chain and its key. A client gets the first
// certificate that its signatures, ciphers and curves allow. Writes the port in a line.
package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
)

func main() {
	config := &tls.Config{}
	for _, file := range os.Args[1:] {
		pair, err := tls.LoadX509KeyPair(file, file)
		if err != nil {
			panic(err)
		}
		config.Certificates = append(config.Certificates, pair)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	for {
		connection, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		go answer(connection)
	}
}

func answer(connection net.Conn) {
	defer connection.Close()
	request := make([]byte, 4096)
	if _, err := connection.Read(request); err == nil {
		fmt.Fprint(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
	}
}
