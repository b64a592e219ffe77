package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.commandfile.FileMode;
import dev.berth.core.task.Priority;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.port.Event;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.EventCodec;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.FileRunPayload;
import dev.berth.port.event.GpuAlert;
import dev.berth.port.event.TaskPayload;
import dev.berth.port.event.UnknownPayload;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Reads the events of a home that 0.1.0 wrote (the database of app's home-0.1.0). */
final class StoredEventsTest {

    @TempDir private Path home;
    private Path file;

    @BeforeEach
    void copy() throws Exception {
        file = home.resolve("tasks.db");
        try (var old = StoredEventsTest.class.getResourceAsStream("events-0.1.0.db")) {
            Files.copy(Objects.requireNonNull(old), file);
        }
    }

    private List<Event> events() throws Exception {
        var database = Database.open(file);
        try (var store = new SqliteTaskStore(database);
                var queries = new SqliteTaskQueries(database)) {
            store.open();
            return queries.eventsAfter(0, 1000);
        }
    }

    private void execute(String sql) throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    @Test
    void everyEventOf010IsRead() throws Exception {
        var events = events();
        assertThat(events).hasSize(50);
        assertThat(events).extracting(Event::payload).doesNotHaveAnyElementsOfTypes(unknown());
        assertThat(events)
                .extracting(Event::payload)
                .contains(
                        new GpuAlert.GpuQuarantined(new GpuAlert.GpuRef(1, "SIM-001"), "a fan"),
                        new GpuAlert.GpuHandedBack(new GpuAlert.GpuRef(1, "SIM-001")),
                        new AttemptPayload.AttemptEnded(
                                OptionalInt.of(3),
                                Optional.empty(),
                                Optional.of(Cause.OOM),
                                List.of()),
                        new AttemptPayload.AttemptScheduled(
                                List.of(1), Duration.ZERO, false, false, Optional.empty()),
                        new FileRunPayload.FileRunStarted(
                                1, FileMode.SINGLE, "command/command_gpu.txt", 3),
                        new TaskPayload.TaskSubmitted("done", Priority.NORMAL));
    }

    @Test
    void anEventIsNeitherChangedNorDeleted() throws Exception {
        var before = events();
        for (var column :
                List.of(
                        "seq",
                        "at",
                        "kind",
                        "data",
                        "actor_principal",
                        "actor_name",
                        "task",
                        "attempt",
                        "via",
                        "owner_principal",
                        "owner_name")) {
            assertThatThrownBy(() -> execute("UPDATE event SET " + column + " = 77 WHERE seq = 2"))
                    .as(column)
                    .hasMessageContaining("events are never changed");
        }
        assertThatThrownBy(() -> execute("DELETE FROM event WHERE seq = 2"))
                .hasMessageContaining("events are never deleted");
        assertThat(events()).isEqualTo(before);
        execute("UPDATE event SET checksum = NULL WHERE seq = 2");
    }

    private static Class<?>[] unknown() {
        return new Class<?>[] {UnknownPayload.class};
    }

    /** What is written again is what 0.1.0 wrote, byte for byte. */
    @Test
    void theStoredFormStaysTheSame() throws Exception {
        var events = events();
        var stored = new TreeMap<Long, String>();
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var rows =
                        connection
                                .createStatement()
                                .executeQuery("SELECT seq, kind, data FROM event")) {
            while (rows.next()) {
                stored.put(rows.getLong(1), rows.getString(2) + rows.getString(3));
            }
        }
        assertThat(events)
                .allSatisfy(event -> assertThat(written(event)).isEqualTo(stored.get(event.seq())));
    }

    private static String written(Event event) {
        return event.kind() + JsonText.of(EventCodec.fieldsOf(event.payload()));
    }

    @Test
    void anEventOfANewerVersionDoesNotStopReading() throws Exception {
        execute(
                "UPDATE event SET kind = 'task.teleported', data = '{\"to\":\"B2\"}' WHERE seq ="
                        + " 2");
        execute("UPDATE event SET data = '{\"epoch\":\"one\"}' WHERE seq = 1");
        var events = events();
        assertThat(events).hasSize(50);
        EventPayload teleported =
                new UnknownPayload("task.teleported", new TreeMap<>(Map.of("to", "B2")));
        assertThat(events.get(1).payload()).isEqualTo(teleported);
        assertThat(events.get(0).kind()).isEqualTo("server.started");
    }
}
