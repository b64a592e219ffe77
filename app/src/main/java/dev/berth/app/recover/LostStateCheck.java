package dev.berth.app.recover;

import dev.berth.port.StoreFailure;
import dev.berth.port.recover.HomeTraces;
import dev.berth.store.Database;
import dev.berth.store.GenerationFile;
import dev.berth.store.HomeRefused;
import dev.berth.store.StoredState;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Refuses to start a server on lost state. It would start tasks a second time that already run or
 * have ended, and would give away GPUs that are in use.
 *
 * @param recovery the command that recovers the home
 */
public record LostStateCheck(HomeFiles files, TracesReader traces, String recovery)
        implements Database.StartCheck {

    /** Reads what the node shows about its tasks. */
    @FunctionalInterface
    public interface TracesReader {
        HomeTraces read() throws IOException;
    }

    private static final Logger log = LoggerFactory.getLogger(LostStateCheck.class);

    /** A home may have many unknown attempts. */
    private static final int MAX_LINES = 12;

    @Override
    public void check(Optional<StoredState> stored) throws HomeRefused, StoreFailure, IOException {
        var evidence = HomeEvidence.read(files, traces.read());
        var found = evidence.lostState(stored);
        if (!found.isEmpty()) {
            throw new HomeRefused(refusal(found));
        }
        warnWithoutGeneration(evidence.generation(), stored);
    }

    private void warnWithoutGeneration(GenerationFile.Found found, Optional<StoredState> stored)
            throws StoreFailure {
        boolean hadOne =
                stored.isPresent()
                        && stored.get()
                                .generation()
                                .filter(database -> database.commits() > 0)
                                .isPresent();
        if (hadOne && found.generation().isEmpty()) {
            log.warn(
                    "{} is missing or damaged; the database was compared only with the task"
                            + " directories",
                    files.generation());
        }
    }

    private String refusal(List<String> found) {
        var lines = new StringBuilder("The home " + files.root() + " has lost state.\n");
        found.stream()
                .limit(MAX_LINES)
                .forEach(line -> lines.append("  ").append(line).append('\n'));
        if (found.size() > MAX_LINES) {
            lines.append("  … and ").append(found.size() - MAX_LINES).append(" more.\n");
        }
        return lines.append(
                        """
                        A server that starts on it could start tasks a second time. All files are as they were. Two ways on:
                          1. Put the newest database back as FILE (with its FILE-wal, if there is one), and start again.
                          2. Run `RECOVER`: it keeps what runs, records what has ended, and lists what is lost.
                             With `--from BACKUP` it starts from a backup; with `--dry-run` it changes nothing.\
                        """
                                .replace("FILE", files.database().toString())
                                .replace("RECOVER", recovery))
                .toString();
    }
}
