package dev.berth.notify;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A real mail server (Debian: python3-aiosmtpd) that prints what it receives. */
final class SmtpServer implements AutoCloseable {

    private static final String PROGRAM =
            """
            import asyncio, base64, json, ssl, sys
            from aiosmtpd.smtp import SMTP, AuthResult

            mode, certificate, key = sys.argv[1:4]
            mechanisms = sys.argv[4:]

            class Keep:
                async def handle_RCPT(self, server, session, envelope, address, options):
                    if address.startswith('nobody@'):
                        return '550 no such user here'
                    envelope.rcpt_tos.append(address)
                    return '250 OK'

                async def auth_XOAUTH2(self, server, args):
                    good = base64.b64decode(args[1]) == b'user=berth\\x01auth=Bearer t0ken\\x01\\x01'
                    return AuthResult(success=good, handled=False, auth_data=b'XOAUTH2' if good else None)

                async def handle_DATA(self, server, session, envelope):
                    print(json.dumps({
                        'from': envelope.mail_from, 'to': envelope.rcpt_tos,
                        'data': base64.b64encode(envelope.original_content).decode(),
                        'tls': session.ssl is not None,
                        'login': session.auth_data.decode() if session.auth_data else None}), flush=True)
                    return '250 taken'

            def authenticate(server, session, envelope, mechanism, data):
                good = data.login == b'berth' and data.password == 'p\\u00e4ss'.encode()
                return AuthResult(success=good, handled=False, auth_data=mechanism.encode() if good else None)

            async def main():
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(certificate, key)
                hidden = [m for m in ('PLAIN', 'LOGIN', 'XOAUTH2') if mechanisms and m not in mechanisms]

                def make():
                    return SMTP(Keep(), hostname='mail.test', enable_SMTPUTF8=True,
                                tls_context=context if mode == 'starttls' else None,
                                require_starttls=mode == 'starttls',
                                authenticator=authenticate, auth_exclude_mechanism=hidden,
                                auth_required=mode == 'starttls')
                server = await asyncio.get_running_loop().create_server(
                    make, '127.0.0.1', 0, ssl=context if mode == 'tls' else None)
                print(server.sockets[0].getsockname()[1], flush=True)
                await server.serve_forever()

            asyncio.run(main())
            """;

    private final Process process;
    private final BufferedReader said;
    private final int port;
    private final SSLContext trust;

    /** A received mail. */
    record Got(JsonNode envelope) {
        String text() {
            var bytes = Base64.getDecoder().decode(envelope.get("data").asString());
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private SmtpServer(Process process, SSLContext trust) throws IOException {
        this.process = process;
        this.said = process.inputReader(StandardCharsets.UTF_8);
        this.port = Integer.parseInt(line(said));
        this.trust = trust;
    }

    /**
     * @param mode plain, starttls (with a login) or tls
     * @param mechanisms the only login mechanisms
     */
    static SmtpServer start(Path directory, String mode, String... mechanisms) throws Exception {
        var store = directory.resolve("key.p12");
        if (!Files.exists(store)) {
            make(store);
        }
        var keys = KeyStore.getInstance(store.toFile(), "secret".toCharArray());
        var certificate = keys.getCertificate("mail");
        var pem = pem(directory.resolve("c.pem"), "CERTIFICATE", certificate.getEncoded());
        var key = keys.getKey("mail", "secret".toCharArray()).getEncoded();
        var command =
                new ArrayList<>(
                        List.of(
                                "/usr/bin/python3",
                                "-c",
                                PROGRAM,
                                mode,
                                pem.toString(),
                                pem(directory.resolve("k.pem"), "PRIVATE KEY", key).toString()));
        command.addAll(List.of(mechanisms));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        return new SmtpServer(process, believing(keys));
    }

    /** A key store with a certificate for 127.0.0.1, password "secret". */
    static void make(Path store) throws IOException, InterruptedException {
        var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        var made =
                new ProcessBuilder(
                                keytool,
                                "-genkeypair",
                                "-alias",
                                "mail",
                                "-keyalg",
                                "EC",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                "secret",
                                "-dname",
                                "CN=mail.test",
                                "-ext",
                                "SAN=ip:127.0.0.1")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        if (made.waitFor() != 0) {
            throw new AssertionError("no certificate");
        }
    }

    private static Path pem(Path file, String what, byte[] bytes) throws IOException {
        var text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(
                file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }

    static SSLContext believing(KeyStore keys) throws GeneralSecurityException, IOException {
        var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry("mail", keys.getCertificate("mail"));
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }

    int port() {
        return port;
    }

    /** A client context that trusts this server. */
    SSLContext trust() {
        return trust;
    }

    /** The next mail. */
    Got next() {
        return new Got(JsonMapper.shared().readTree(line(said)));
    }

    private static String line(BufferedReader from) {
        try {
            var line = from.readLine();
            if (line == null) {
                throw new AssertionError("the mail server ended (is python3-aiosmtpd installed?)");
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroy();
    }
}
