package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.port.CancelJournal.PendingCancel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

class CancelFileTest {

    private static final Instant AT = Instant.parse("2026-01-01T00:00:00.000001Z");

    @TempDir Path directory;

    @Test
    void theNextServerFindsWhatWasKeptUntilItIsCleared() throws IOException {
        var file = directory.resolve("cancels");
        try (var journal = CancelFile.open(file)) {
            assertThat(journal.read()).isEmpty();
            assertThat(journal.add(cancel(7))).isTrue();
            assertThat(journal.add(cancel(9))).isTrue();
        }
        try (var journal = CancelFile.open(file)) {
            assertThat(journal.read()).containsExactly(cancel(7), cancel(9));
            assertThat(journal.add(cancel(11))).isTrue();
            assertThat(journal.read()).containsExactly(cancel(7), cancel(9), cancel(11));
            journal.clear();
        }
        try (var journal = CancelFile.open(file)) {
            assertThat(journal.read()).isEmpty();
        }
    }

    @Test
    void itsSpaceIsReservedAheadAndItNeverGrows() throws IOException {
        var file = directory.resolve("cancels");
        try (var journal = CancelFile.open(file)) {
            long size = Files.size(file);
            int kept = 0;
            while (journal.add(cancel(kept + 1))) {
                kept++;
            }
            assertThat(kept).isEqualTo(256);
            assertThat(Files.size(file)).isEqualTo(size);
            assertThat(journal.read()).hasSize(256);
        }
    }

    @Test
    void aTornOrDamagedSlotIsIgnored() throws IOException {
        var file = directory.resolve("cancels");
        try (var journal = CancelFile.open(file)) {
            journal.add(cancel(7));
            journal.add(cancel(8));
            journal.add(cancel(9));
        }
        try (var content = new RandomAccessFile(file.toFile(), "rw")) {
            content.seek(0);
            content.writeBytes("x");
            content.seek(256);
            content.write(new byte[200]);
        }
        try (var journal = CancelFile.open(file)) {
            assertThat(journal.read()).containsExactly(cancel(9));
        }
    }

    @Test
    void withoutItsFileNothingIsKeptAndNothingFails() throws IOException {
        try (var journal = CancelFile.open(directory.resolve("missing/cancels"))) {
            assertThat(journal.read()).isEmpty();
            assertThat(journal.add(cancel(1))).isFalse();
            journal.clear();
        }
    }

    private static PendingCancel cancel(long task) {
        return new PendingCancel(new TaskId(task), Owner.unix("änn"), AT);
    }
}
