package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ServerAddresses;
import dev.berth.cli.text.AmountParser;
import dev.berth.cli.text.SafeText;
import dev.berth.files.AtomicFile;
import dev.berth.jsontext.JsonWriter;
import dev.berth.server.tls.SelfSignedCertificate;
import dev.berth.server.tls.TlsFiles;
import dev.berth.server.tls.TlsIdentity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateEncodingException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;

/** Creates a self-signed TLS certificate for the server. */
final class TlsCommand implements CliCommand {

    private static final CommandOption NAME =
            CommandOption.withValue(
                    "--name", "HOST", "a further name or address of this machine; may be repeated");
    private static final CommandOption DAYS =
            CommandOption.withValue("--days", "DAYS", "how long it is valid (default 825)");
    private static final CommandOption FORCE =
            CommandOption.flag("--force", "replace an existing certificate");

    /** The longest time that browsers accept. */
    private static final int MAX_DAYS = 825;

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "tls",
                "create",
                "Create a self-signed certificate, so that other machines reach the server",
                List.of(NAME, DAYS, FORCE, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws IOException {
        if (!options.arguments().equals(List.of("create"))) {
            throw new UsageError("give the action: create");
        }
        int days = days(options);
        var hosts = MachineHosts.find(options.values(NAME));
        var home = ServerAddresses.personalHome(options, context);
        var directory = home.resolve("tls");
        var files = new TlsFiles(directory.resolve("cert.pem"), directory.resolve("key.pem"));
        if (Files.exists(files.certificate()) && !options.has(FORCE)) {
            throw new CommandFailure(
                    files.certificate()
                            + " exists. Replace it with --force; browsers that trust it will ask"
                            + " again.");
        }
        var identity =
                new SelfSignedCertificate(hosts.names(), hosts.addresses())
                        .create(context.clock().now(), Duration.ofDays(days));
        write(identity, files);
        if (options.has(CommandOption.JSON)) {
            context.out().println(JsonWriter.write(json(identity, files)));
        } else {
            print(identity, files, context);
        }
        return 0;
    }

    private static int days(ParsedOptions options) {
        var text = options.value(DAYS);
        if (text == null) {
            return MAX_DAYS;
        }
        int days = AmountParser.count(text).orElse(0);
        if (days < 1 || days > MAX_DAYS) {
            throw new UsageError("--days is 1 to " + MAX_DAYS + ": browsers refuse longer ones");
        }
        return days;
    }

    /** The key first: a server that sees the new certificate must find its key. */
    private static void write(TlsIdentity identity, TlsFiles files) throws IOException {
        Files.createDirectories(
                files.key().getParent(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        replace(files.key(), "PRIVATE KEY", identity.key().getEncoded());
        try {
            replace(files.certificate(), "CERTIFICATE", identity.chain().getFirst().getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("it was created from its encoded form", e);
        }
    }

    private static void replace(Path file, String kind, byte[] content) throws IOException {
        AtomicFile.replace(
                file, SelfSignedCertificate.pem(kind, content).getBytes(StandardCharsets.US_ASCII));
    }

    private static LinkedHashMap<String, Object> json(TlsIdentity identity, TlsFiles files) {
        var json = new LinkedHashMap<String, Object>();
        json.put("certificate", files.certificate().toString());
        json.put("key", files.key().toString());
        json.put("hosts", identity.hosts());
        json.put("expires_at", identity.expiresAt().toString());
        json.put("sha256", identity.fingerprint());
        return json;
    }

    private static void print(TlsIdentity identity, TlsFiles files, CallContext context) {
        var out = context.out();
        out.println("certificate  " + SafeText.line(files.certificate().toString()));
        out.println("key          " + SafeText.line(files.key().toString()));
        out.println("for          " + SafeText.line(String.join(", ", identity.hosts())));
        out.println("expires      " + identity.expiresAt());
        out.println("SHA-256      " + identity.fingerprint());
        out.println();
        out.println("Add to config/berth.yaml in the home, and start the server again:");
        out.println("tls_cert: tls/cert.pem");
        out.println("tls_key: tls/key.pem");
        out.println("host: 0.0.0.0");
        out.println();
        out.println(
                "Browsers warn about it once. Compare the SHA-256 that they show with this one.");
    }
}
