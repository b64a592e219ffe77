package dev.berth.server.tls;

import dev.berth.files.AtomicFile;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The certificate of a server and its private key.
 *
 * @param chain the server's certificate first
 */
public record TlsIdentity(List<X509Certificate> chain, PrivateKey key) {

    private static final int MAX_FILE_BYTES = 1 << 20;
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]+)-----END \\1-----");
    private static final String PKCS8 = "PRIVATE KEY";

    private static final Pattern ZEROS = Pattern.compile("(?<![^:])0(:0)+(?![^:])");

    /** Kinds of a subject alternative name (RFC 5280). */
    private static final int DNS_NAME = 2;

    private static final int IP_ADDRESS = 7;

    public TlsIdentity {
        chain = List.copyOf(chain);
    }

    public static TlsIdentity read(TlsFiles files) throws UnusableTlsFiles {
        var chain = readChain(files.certificate());
        var key = readKey(files.key(), chain.getFirst().getPublicKey().getAlgorithm());
        var identity = new TlsIdentity(chain, key);
        if (!KeyPairCheck.isPair(chain.getFirst().getPublicKey(), key)) {
            throw new UnusableTlsFiles(
                    "tls_key: "
                            + files.key()
                            + " does not belong to the first certificate in "
                            + files.certificate());
        }
        return identity;
    }

    private static List<X509Certificate> readChain(Path file) throws UnusableTlsFiles {
        try {
            var text = text("tls_cert", file).getBytes(StandardCharsets.UTF_8);
            var found =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(text));
            if (found.isEmpty()) {
                throw new UnusableTlsFiles("tls_cert: " + file + " contains no certificate");
            }
            return found.stream().map(X509Certificate.class::cast).toList();
        } catch (CertificateException e) {
            throw new UnusableTlsFiles(
                    "tls_cert: " + file + " is no certificate in PEM format: " + e.getMessage(), e);
        }
    }

    private static PrivateKey readKey(Path file, String algorithm) throws UnusableTlsFiles {
        requirePrivate(file);
        var blocks = BLOCK.matcher(text("tls_key", file)).results().toList();
        var key = blocks.stream().filter(block -> block.group(1).equals(PKCS8)).findFirst();
        if (key.isEmpty()) {
            var other =
                    blocks.stream()
                            .map(block -> block.group(1))
                            .filter(kind -> kind.endsWith(PKCS8))
                            .findFirst();
            throw new UnusableTlsFiles(otherFormat(file, other));
        }
        try {
            var bytes = Base64.getMimeDecoder().decode(key.get().group(2));
            return KeyFactory.getInstance(algorithm)
                    .generatePrivate(new PKCS8EncodedKeySpec(bytes));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new UnusableTlsFiles(
                    "tls_key: " + file + " is no " + algorithm + " key: " + e.getMessage(), e);
        }
    }

    private static void requirePrivate(Path file) throws UnusableTlsFiles {
        boolean isReadByAll;
        try {
            isReadByAll =
                    Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException e) {
            throw unreadable("tls_key", file, e);
        }
        if (isReadByAll) {
            throw new UnusableTlsFiles(
                    "tls_key: every user can read " + file + "; run: chmod o-r " + file);
        }
    }

    private static String otherFormat(Path file, Optional<String> kind) {
        return kind.map(
                        found ->
                                "tls_key: %s is in the format %s. Convert it: openssl pkcs8 -topk8 -nocrypt -in %s -out NEW"
                                        .formatted(file, found, file))
                .orElse("tls_key: " + file + " contains no private key in PEM format");
    }

    private static String text(String key, Path file) throws UnusableTlsFiles {
        try {
            return new String(AtomicFile.read(file, MAX_FILE_BYTES), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw unreadable(key, file, e);
        }
    }

    private static UnusableTlsFiles unreadable(String key, Path file, IOException e) {
        return new UnusableTlsFiles(key + ": " + file + " cannot be read: " + e, e);
    }

    /** For Java's TLS; the password protects nothing, because the store stays in memory. */
    KeyStore keyStore() {
        try {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("berth", key, new char[0], chain.toArray(Certificate[]::new));
            return store;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("every JDK has PKCS12 stores in memory", e);
        }
    }

    /** Names and addresses of the server, in lower case, as they appear in a Host header. */
    public List<String> hosts() {
        return Stream.concat(names(DNS_NAME), names(IP_ADDRESS).map(TlsIdentity::inHostHeader))
                .map(name -> name.toLowerCase(Locale.ROOT))
                .distinct()
                .toList();
    }

    private Stream<String> names(int kind) {
        try {
            var all = chain.getFirst().getSubjectAlternativeNames();
            return all == null
                    ? Stream.empty()
                    : all.stream()
                            .filter(name -> name.getFirst().equals(kind))
                            .map(name -> String.valueOf(name.get(1)));
        } catch (CertificateException _) {
            return Stream.empty();
        }
    }

    private static String inHostHeader(String address) {
        return address.contains(":") ? "[" + shortened(address) + "]" : address;
    }

    /** As browsers write it: the longest sequence of zeros becomes {@code ::}. */
    private static String shortened(String address) {
        var zeros =
                ZEROS.matcher(address)
                        .results()
                        .map(MatchResult::group)
                        .max(Comparator.comparingInt(String::length));
        return zeros.map(found -> address.replaceFirst("(^|:)" + found + "(:|$)", "::"))
                .orElse(address);
    }

    public Instant expiresAt() {
        return chain.getFirst().getNotAfter().toInstant();
    }

    /** The SHA-256 hash of the certificate, as browsers and openssl show it. */
    public String fingerprint() {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(chain.getFirst().getEncoded());
            return HexFormat.ofDelimiter(":").withUpperCase().formatHex(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
