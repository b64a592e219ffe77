package dev.berth.nodeprocess;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.RunAs;
import dev.berth.files.RotatingLogFile;
import dev.berth.node.ProcessJournal;
import dev.berth.node.linux.Signal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The node's own record of the processes that it started and signalled, and of the accounts that it
 * refused. Only root reads it.
 */
final class JournalFile implements ProcessJournal, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(JournalFile.class);
    private static final long FILE_BYTES = 10 << 20;
    private static final int FILES_KEPT = 10;
    private static final String UNKNOWN = "-";

    private final RotatingLogFile file;
    private final InstantSource clock;
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    private JournalFile(RotatingLogFile file, InstantSource clock) {
        this.file = file;
        this.clock = clock;
    }

    static JournalFile open(Path path, InstantSource clock) throws IOException {
        return new JournalFile(new RotatingLogFile(path, FILE_BYTES, FILES_KEPT), clock);
    }

    @Override
    public void started(AttemptId attempt, OptionalInt uid, long pid) {
        write(
                "started attempt=%s uid=%s pid=%d"
                        .formatted(
                                attempt,
                                uid.isPresent() ? Integer.toString(uid.getAsInt()) : UNKNOWN,
                                pid));
    }

    /** The name comes from the server, and could contain anything. */
    @Override
    public void refused(AttemptId attempt, RunAs account) {
        write(
                "refused attempt=%s uid=%s user=%s"
                        .formatted(
                                attempt,
                                Integer.toUnsignedString(account.uid()),
                                account.user().replaceAll("[^A-Za-z0-9_.@-]", "?")));
    }

    @Override
    public void signalled(String attempt, ProcessKey process, Signal signal) {
        write(
                "signalled attempt=%s uid=%s pid=%d signal=%s"
                        .formatted(attempt, uid(process.pid()), process.pid(), signal));
    }

    private static String uid(long pid) {
        try {
            return Files.getAttribute(Path.of("/proc/" + pid), "unix:uid").toString();
        } catch (IOException gone) {
            return UNKNOWN;
        }
    }

    /** A full disk must not keep tasks from ending. */
    private void write(String entry) {
        try {
            file.append(clock.instant().truncatedTo(ChronoUnit.MILLIS) + " " + entry);
            hasFailed.set(false);
        } catch (IOException failure) {
            if (hasFailed.compareAndSet(false, true)) {
                log.error("the record of processes cannot be written: {}", failure.toString());
            }
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
