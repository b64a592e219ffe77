package dev.berth.server.tls;

import java.net.InetAddress;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate in PEM files, and clients that trust it. */
public record TestCertificate(TlsFiles files, TlsIdentity identity) {

    public static TestCertificate in(Path directory, String name) throws Exception {
        return in(directory, name, Instant.now(), Duration.ofDays(30));
    }

    /** Replaces the one that is there. */
    public static TestCertificate in(Path directory, String name, Instant from, Duration lifetime)
            throws Exception {
        var files = new TlsFiles(directory.resolve("cert.pem"), directory.resolve("key.pem"));
        var identity =
                new SelfSignedCertificate(
                                List.of(name, "localhost"),
                                List.of(InetAddress.getByName("127.0.0.1")))
                        .create(from, lifetime);
        Files.deleteIfExists(files.key());
        Files.createFile(
                files.key(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(
                files.key(), SelfSignedCertificate.pem("PRIVATE KEY", identity.key().getEncoded()));
        Files.writeString(
                files.certificate(),
                SelfSignedCertificate.pem("CERTIFICATE", identity.chain().getFirst().getEncoded()));
        return new TestCertificate(files, identity);
    }

    /** Checks the certificate and its names as a browser does. */
    public HttpClient trustingClient() throws Exception {
        var trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("berth", identity.chain().getFirst());
        var managers = TrustManagerFactory.getInstance("PKIX");
        managers.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }
}
