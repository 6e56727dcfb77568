import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** Connects to each "host port" line of its input, at 127.0.0.1. Writes "ok", or why the certificate was refused, in a line. */
public class Client {
  public static void main(String[] arguments) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trusting(arguments[0]).getTrustManagers(), null);
    System.out.println("Java " + System.getProperty("java.version"));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split(" ");
      System.out.println(connect(context, parts[0], Integer.parseInt(parts[1])));
    }
  }

  private static TrustManagerFactory trusting(String file) throws Exception {
    KeyStore roots = KeyStore.getInstance("PKCS12");
    roots.load(null, null);
    try (InputStream in = new FileInputStream(file)) {
      for (Certificate root : CertificateFactory.getInstance("X.509").generateCertificates(in))
        roots.setCertificateEntry("root" + roots.size(), root);
    }
    TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
    managers.init(roots);
    return managers;
  }

  private static String connect(SSLContext context, String host, int port) {
    try (Socket tcp = new Socket("127.0.0.1", port);
        SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(tcp, host, port, true)) {
      tcp.setSoTimeout(5000);
      SSLParameters parameters = tls.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      tls.setSSLParameters(parameters);
      tls.startHandshake();
      return "ok";
    } catch (IOException | RuntimeException error) {
      return "refused: " + String.valueOf(error.getMessage()).replace("\n", " ");
    }
  }
}
