package dev.berth.server.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.port.StoreFailure;
import dev.berth.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Optional;

class BackupRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @Test
    void aBackupIsMadeAndShownByTheServerAndTheMetrics() throws Exception {
        assertThat(server.socket().get("/api/server").text()).doesNotContain("last_backup_at");

        var reply = server.socket().post("/api/backup", "");

        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.json().toString())
                .isEqualTo(
                        """
                        {"file":"/home/berth/backups/tasks-20251115-080000.db",\
                        "made_at":"2025-11-15T08:00:00.000000Z","bytes":4096}\
                        """);
        assertThat(server.socket().get("/api/server").text())
                .contains("\"last_backup_at\":\"2025-11-15T08:00:00.000000Z\"");
        assertThat(server.socket().get("/metrics").text())
                .contains("berth_last_backup_timestamp_seconds 1763193600");
    }

    @Test
    void aFailedBackupSaysWhy() throws Exception {
        server.maintenance.failure =
                Optional.of(new StoreFailure(StoreFailure.Kind.FULL, "disk space is low"));

        var reply = server.socket().post("/api/backup", "");

        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.code()).isEqualTo("backup.failed");
        assertThat(reply.text()).contains("disk space is low");
    }

    @Test
    void damageIsA500AndFailsTheHealthCheck() throws Exception {
        server.maintenance.damage = Optional.of("the row id=1");
        server.maintenance.failure =
                Optional.of(new StoreFailure(StoreFailure.Kind.DAMAGED, "the row id=1"));

        var reply = server.socket().post("/api/backup", "");

        assertThat(reply.status()).isEqualTo(500);
        assertThat(reply.code()).isEqualTo("store.damaged");
        assertThat(server.socket().get("/api/health").status()).isEqualTo(503);
        assertThat(server.socket().get("/api/health").text())
                .contains("The database is damaged: the row id=1");
    }
}
