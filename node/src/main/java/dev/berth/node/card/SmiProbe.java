package dev.berth.node.card;

import dev.berth.core.card.Occupant;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks {@code nvidia-smi}: once for the cards and once for their processes, since it answers only
 * one kind of question at a time.
 */
final class SmiProbe implements CardProbe {

    private static final Logger log = LoggerFactory.getLogger(SmiProbe.class);

    /**
     * Killed then. The cards are unknown long before that; this only makes room for another try.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final int MOST_BYTES = 1 << 20;
    private static final int CHUNK = 8192;
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Path program;
    private boolean hasWarned;
    private volatile Optional<Process> outstanding = Optional.empty();

    SmiProbe(Path program) {
        this.program = program;
    }

    @Override
    public List<CardRow> read() throws ProbeFailure {
        var cards = SmiText.cards(ask("--query-gpu=" + SmiText.CARD_FIELDS));
        var processes = processes();
        var rows = new ArrayList<CardRow>();
        for (var card : cards) {
            var there = processes.map(all -> all.getOrDefault(card.uuid(), List.of()));
            rows.add(
                    new CardRow(
                            card.uuid(),
                            card.index(),
                            card.model(),
                            card.totalMib(),
                            card.reading().with(there),
                            card.isSplit()));
        }
        return rows;
    }

    /** A driver that cannot list processes can still say how full its cards are. */
    private Optional<Map<String, List<Occupant>>> processes() {
        try {
            var all = SmiText.processes(ask("--query-compute-apps=" + SmiText.PROCESS_FIELDS));
            hasWarned = false;
            return Optional.of(all);
        } catch (ProbeFailure failure) {
            if (!hasWarned) {
                log.warn("the processes on the cards cannot be read: {}", failure.why());
                hasWarned = true;
            }
            return Optional.empty();
        }
    }

    private String ask(String query) throws ProbeFailure {
        var builder =
                new ProcessBuilder(program.toString(), query, "--format=csv,noheader,nounits")
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("LC_ALL", "C");
        try {
            var process = builder.start();
            outstanding = Optional.of(process);
            process.getOutputStream().close();
            return answer(process);
        } catch (IOException e) {
            throw new ProbeFailure(program + " cannot be run: " + e.getMessage());
        } finally {
            outstanding = Optional.empty();
        }
    }

    /**
     * Never blocks in a read: a process below a killed one may keep the pipe open. Returns when the
     * program is gone, which for one that hangs in the driver may be never.
     */
    private String answer(Process process) throws IOException, ProbeFailure {
        var text = new ByteArrayOutputStream();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (var output = process.getInputStream()) {
            while (process.isAlive() || output.available() > 0) {
                drain(output, text);
                boolean isTooMuch = text.size() > MOST_BYTES;
                if (isTooMuch || System.nanoTime() > deadline) {
                    kill(process);
                    awaitEnd(process);
                    throw new ProbeFailure(
                            isTooMuch
                                    ? "nvidia-smi prints without end"
                                    : "nvidia-smi did not answer for "
                                            + PATIENCE.toSeconds()
                                            + " s");
                }
                LockSupport.parkNanos(LOOK_EVERY_NANOS);
            }
        }
        var said = text.toString(StandardCharsets.UTF_8);
        if (process.exitValue() != 0) {
            throw new ProbeFailure(
                    "nvidia-smi ended with "
                            + process.exitValue()
                            + said.lines()
                                    .findFirst()
                                    .map(line -> ": " + SmiText.shown(line))
                                    .orElse(""));
        }
        return said;
    }

    private static void drain(InputStream output, ByteArrayOutputStream text) throws IOException {
        var chunk = new byte[CHUNK];
        while (output.available() > 0 && text.size() <= MOST_BYTES) {
            int length = output.read(chunk, 0, Math.min(chunk.length, output.available()));
            if (length <= 0) {
                return;
            }
            text.write(chunk, 0, length);
        }
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** So that there is never a second one beside it. */
    private static void awaitEnd(Process process) throws ProbeFailure {
        try {
            process.waitFor();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new ProbeFailure("the server is closing");
        }
    }

    @Override
    public boolean isImmediate() {
        return false;
    }

    @Override
    public String name() {
        return "nvidia-smi";
    }

    @Override
    public void close() {
        outstanding.ifPresent(SmiProbe::kill);
    }
}
