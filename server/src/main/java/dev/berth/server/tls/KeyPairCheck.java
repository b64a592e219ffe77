package dev.berth.server.tls;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;

/** Whether a private key belongs to a public one. */
final class KeyPairCheck {

    private static final byte[] SAMPLE = {1, 2, 3};

    private KeyPairCheck() {}

    static boolean isPair(PublicKey open, PrivateKey secret) {
        try {
            var signer = Signature.getInstance(signatureOf(open));
            signer.initSign(secret);
            signer.update(SAMPLE);
            var signature = signer.sign();
            var verifier = Signature.getInstance(signatureOf(open));
            verifier.initVerify(open);
            verifier.update(SAMPLE);
            return verifier.verify(signature);
        } catch (GeneralSecurityException _) {
            return false;
        }
    }

    private static String signatureOf(PublicKey key) {
        return switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> key.getAlgorithm();
        };
    }
}
