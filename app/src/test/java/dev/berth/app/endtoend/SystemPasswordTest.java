package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether users may log in by password is decided by the file of root alone. */
final class SystemPasswordTest {

    @ParameterizedTest
    @CsvSource({"pam_service = other, '', true", "'', pam_service: other, false"})
    void theConfigurationOfTheNodeDecides(String node, String server, boolean isOffered)
            throws Exception {
        try (var harness = SystemHarness.prepare("none", 1)) {
            var system = harness.processes();
            system.configureNode(node + "\n");
            system.configure(server + "\n");
            system.start();
            var health = system.api().client().get("/api/health").expect(200);
            assertThat(health.path("password_login").asBoolean(false)).isEqualTo(isOffered);
            var login = "{\"user\":\"%s\",\"password\":\"x\"}".formatted(harness.user(0).name());
            var refused = system.api().client().post("/api/login", login);
            assertThat(refused.status()).isEqualTo(isOffered ? 401 : 404);
        }
    }
}
