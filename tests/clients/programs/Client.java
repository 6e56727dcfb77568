import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyStore;
import java.security.cert.CertPathBuilder;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.PKIXRevocationChecker.Option;
import java.security.cert.X509CertSelector;
import java.time.Duration;
import java.util.EnumSet;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Requests https://host:port/ with Java's HTTP client, for each "host port" line of its input. For each it writes a line: "ok" if it got an
 * answer, else the error. With "crls" as second argument, a CRL must show that the leaf is not revoked.
 */
public class Client {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  public static void main(String[] arguments) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    boolean withCrls = arguments.length > 1 && arguments[1].equals("crls");
    context.init(null, trusting(arguments[0], withCrls).getTrustManagers(), null);
    HttpClient client = HttpClient.newBuilder().sslContext(context).connectTimeout(LIMIT).build();
    System.out.println("Java " + System.getProperty("java.version"));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split(" ");
      System.out.println(connect(client, parts[0], Integer.parseInt(parts[1])));
    }
  }

  private static TrustManagerFactory trusting(String file, boolean withCrls) throws Exception {
    KeyStore roots = KeyStore.getInstance("PKCS12");
    roots.load(null, null);
    try (InputStream in = new FileInputStream(file)) {
      for (Certificate root : CertificateFactory.getInstance("X.509").generateCertificates(in))
        roots.setCertificateEntry("root" + roots.size(), root);
    }
    TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
    if (withCrls) managers.init(new CertPathTrustManagerParameters(checkingCrls(roots)));
    else managers.init(roots);
    return managers;
  }

  private static PKIXBuilderParameters checkingCrls(KeyStore roots) throws Exception {
    System.setProperty("com.sun.security.enableCRLDP", "true");
    PKIXBuilderParameters parameters = new PKIXBuilderParameters(roots, new X509CertSelector());
    PKIXRevocationChecker checker =
        (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
    checker.setOptions(EnumSet.of(Option.PREFER_CRLS, Option.NO_FALLBACK, Option.ONLY_END_ENTITY));
    parameters.addCertPathChecker(checker);
    return parameters;
  }

  private static String connect(HttpClient client, String host, int port) {
    try {
      URI page = URI.create("https://" + host + ":" + port + "/");
      client.send(HttpRequest.newBuilder(page).timeout(LIMIT).build(), BodyHandlers.discarding());
      return "ok";
    } catch (IOException | InterruptedException | RuntimeException error) {
      return "refused: " + String.valueOf(error.getMessage()).replace("\n", " ");
    }
  }
}
