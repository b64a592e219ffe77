package dev.berth.server.tls;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

/**
 * Creates a certificate that its own key signs. Browsers warn about it until a person trusts it,
 * after comparing its fingerprint.
 *
 * @param names of the server; the first is shown as its name
 * @param addresses of the server
 */
public record SelfSignedCertificate(List<String> names, List<InetAddress> addresses) {

    private static final byte[] ECDSA_WITH_SHA256 =
            DerBytes.sequence(DerBytes.identifier("1.2.840.10045.4.3.2"));
    private static final String COMMON_NAME = "2.5.4.3";
    private static final String ALTERNATIVE_NAMES = "2.5.29.17";
    private static final String BASIC_CONSTRAINTS = "2.5.29.19";
    private static final String EXTENDED_KEY_USAGE = "2.5.29.37";
    private static final String SERVER_AUTHENTICATION = "1.3.6.1.5.5.7.3.1";
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;
    private static final int EXTENSIONS = 3;
    private static final int SERIAL_BITS = 127;

    /** A clock that is a little late must not refuse a new certificate. */
    private static final Duration CLOCK_DIFFERENCE = Duration.ofHours(1);

    public SelfSignedCertificate {
        names = List.copyOf(names);
        addresses = List.copyOf(addresses);
        if (names.isEmpty()) {
            throw new IllegalArgumentException("a certificate needs a name");
        }
    }

    public TlsIdentity create(Instant now, Duration lifetime) {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            var pair = generator.generateKeyPair();
            var content = content(pair, now.minus(CLOCK_DIFFERENCE), now.plus(lifetime));
            var signer = Signature.getInstance("SHA256withECDSA");
            signer.initSign(pair.getPrivate());
            signer.update(content);
            var der = DerBytes.sequence(content, ECDSA_WITH_SHA256, DerBytes.bits(signer.sign()));
            var certificate =
                    (X509Certificate)
                            CertificateFactory.getInstance("X.509")
                                    .generateCertificate(new ByteArrayInputStream(der));
            return new TlsIdentity(List.of(certificate), pair.getPrivate());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has EC keys and X.509 certificates", e);
        }
    }

    private byte[] content(KeyPair pair, Instant from, Instant until) {
        var name =
                DerBytes.sequence(
                        DerBytes.set(
                                DerBytes.sequence(
                                        DerBytes.identifier(COMMON_NAME),
                                        DerBytes.text(names.getFirst()))));
        return DerBytes.sequence(
                DerBytes.explicit(0, DerBytes.integer(BigInteger.TWO)), // X.509 version 3
                DerBytes.integer(new BigInteger(SERIAL_BITS, new SecureRandom())),
                ECDSA_WITH_SHA256,
                name,
                DerBytes.sequence(DerBytes.time(from), DerBytes.time(until)),
                name,
                pair.getPublic().getEncoded(),
                DerBytes.explicit(EXTENSIONS, extensions()));
    }

    private byte[] extensions() {
        return DerBytes.sequence(
                DerBytes.sequence(
                        DerBytes.identifier(BASIC_CONSTRAINTS),
                        DerBytes.trueValue(),
                        DerBytes.octets(DerBytes.sequence(DerBytes.trueValue()))),
                DerBytes.sequence(
                        DerBytes.identifier(EXTENDED_KEY_USAGE),
                        DerBytes.octets(
                                DerBytes.sequence(DerBytes.identifier(SERVER_AUTHENTICATION)))),
                DerBytes.sequence(
                        DerBytes.identifier(ALTERNATIVE_NAMES),
                        DerBytes.octets(DerBytes.sequence(alternativeNames()))));
    }

    private byte[][] alternativeNames() {
        var all = new byte[names.size() + addresses.size()][];
        for (int i = 0; i < names.size(); i++) {
            all[i] = DerBytes.implicit(DNS_NAME, names.get(i).getBytes(StandardCharsets.US_ASCII));
        }
        for (int i = 0; i < addresses.size(); i++) {
            all[names.size() + i] = DerBytes.implicit(IP_ADDRESS, addresses.get(i).getAddress());
        }
        return all;
    }

    /** A block of a PEM file. */
    public static String pem(String kind, byte[] content) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(
                        kind,
                        Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content),
                        kind);
    }
}
