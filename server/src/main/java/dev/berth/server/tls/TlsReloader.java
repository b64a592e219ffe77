package dev.berth.server.tls;

import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The server's certificate. It is read again when its files have changed, because certificates are
 * renewed every few months while the server runs. Files that cannot be used are reported, and the
 * last certificate stays in use. Open connections keep theirs.
 */
public final class TlsReloader implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(TlsReloader.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    /** A certificate that ends sooner is a problem of the server's health. */
    static final Duration EXPIRY_WARNING = Duration.ofDays(7);

    private final TlsFiles files;
    private final SslContextFactory.Server context = new SslContextFactory.Server();
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile TlsIdentity identity;
    private volatile Optional<String> reloadFailure = Optional.empty();
    private List<FileVersion> versions;

    private TlsReloader(TlsFiles files) throws UnusableTlsFiles {
        this.files = files;
        this.versions = readVersions();
        this.identity = TlsIdentity.read(files);
        use(context);
        this.thread = Thread.ofPlatform().daemon().name("tls-reload").unstarted(this::run);
    }

    /** Empty without files. */
    public static Optional<TlsReloader> start(Optional<TlsFiles> files) throws UnusableTlsFiles {
        return files.isPresent() ? Optional.of(start(files.get())) : Optional.empty();
    }

    private static TlsReloader start(TlsFiles files) throws UnusableTlsFiles {
        var reloader = new TlsReloader(files);
        reloader.thread.start();
        log.info(
                "TLS certificate={} sha256={} expires={}",
                files.certificate(),
                reloader.identity.fingerprint(),
                reloader.identity.expiresAt());
        return reloader;
    }

    private void use(SslContextFactory factory) {
        factory.setKeyStore(identity.keyStore());
        factory.setKeyStorePassword("");
    }

    public SslContextFactory.Server context() {
        return context;
    }

    public TlsIdentity identity() {
        return identity;
    }

    /** What is wrong with the certificate, for people. */
    public Optional<String> problem(Instant now) {
        var left = Duration.between(now, identity.expiresAt());
        if (left.compareTo(EXPIRY_WARNING) < 0) {
            return Optional.of(
                    "The TLS certificate %s %s at %s: renew it"
                            .formatted(
                                    files.certificate(),
                                    left.isNegative() ? "expired" : "expires",
                                    identity.expiresAt()));
        }
        return reloadFailure;
    }

    private void run() {
        try {
            while (!closed.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
                check();
            }
        } catch (InterruptedException interrupted) {
            log.debug("certificates are no longer watched", interrupted);
        }
    }

    /** Reads the files again if they have changed. */
    void check() {
        var now = readVersions();
        if (now.equals(versions)) {
            return;
        }
        versions = now;
        try {
            identity = TlsIdentity.read(files);
            context.reload(this::use);
            reloadFailure = Optional.empty();
            log.info(
                    "TLS certificate read again sha256={} expires={}",
                    identity.fingerprint(),
                    identity.expiresAt());
        } catch (Exception unusable) {
            reloadFailure =
                    Optional.of(
                            unusable.getMessage()
                                    + "; the server still uses the one it had before");
            log.error("{}", reloadFailure.get());
        }
    }

    private List<FileVersion> readVersions() {
        return List.of(FileVersion.of(files.certificate()), FileVersion.of(files.key()));
    }

    /** Follows symbolic links: certbot replaces the link. */
    private record FileVersion(String inode, Instant changed, long size) {
        static FileVersion of(Path file) {
            try {
                var facts = Files.readAttributes(file, BasicFileAttributes.class);
                return new FileVersion(
                        String.valueOf(facts.fileKey()),
                        facts.lastModifiedTime().toInstant(),
                        facts.size());
            } catch (IOException missing) {
                return new FileVersion("", Instant.EPOCH, 0);
            }
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
