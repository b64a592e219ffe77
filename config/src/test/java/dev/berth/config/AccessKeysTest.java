package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.access.Role;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

/** The keys of roles and logins. */
class AccessKeysTest {

    @TempDir private Path home;

    private Configuration.AccessRules load(String yaml) throws Exception {
        Files.createDirectories(home.resolve("config"));
        Files.writeString(home.resolve("config/berth.yaml"), yaml);
        return Configuration.load(ConfigSources.of(home)).access();
    }

    @Test
    void everyAccountIsAUserByDefaultAndNobodyLogsInByPassword() throws Exception {
        var rules = load("");
        assertThat(rules.admins()).isEmpty();
        assertThat(rules.adminGroup()).isEmpty();
        assertThat(rules.viewers()).isEmpty();
        assertThat(rules.defaultRole()).contains(Role.USER);
        assertThat(rules.othersSeeLogs()).isFalse();
        assertThat(rules.pamService()).isEmpty();
        assertThat(rules.proxy()).isEmpty();
    }

    @Test
    void theRulesAreReadFromTheFile() throws Exception {
        var rules =
                load(
                        """
                        admins: [ann]
                        admin_group: wheel
                        viewer_group: guests
                        default_role: none
                        others_see: logs
                        pam_service: berth
                        proxy_user_header: X-Remote-User
                        proxy_user: www-data
                        """);
        assertThat(rules.admins()).containsExactly("ann");
        assertThat(rules.adminGroup()).contains("wheel");
        assertThat(rules.viewerGroup()).contains("guests");
        assertThat(rules.defaultRole()).isEmpty();
        assertThat(rules.othersSeeLogs()).isTrue();
        assertThat(rules.pamService()).contains("berth");
        assertThat(rules.proxy())
                .contains(new Configuration.ProxyUser("X-Remote-User", "www-data"));
    }

    @Test
    void aWrongValueNamesItsKey() {
        assertThatThrownBy(() -> load("default_role: boss")).hasMessageContaining("default_role");
        assertThatThrownBy(() -> load("others_see: all")).hasMessageContaining("others_see");
        assertThatThrownBy(() -> load("pam_service: ../shadow"))
                .hasMessageContaining("pam_service");
        assertThatThrownBy(() -> load("proxy_user: www-data"))
                .hasMessageContaining("needs proxy_user_header");
        assertThatThrownBy(() -> load("proxy_user_header: 'X: y'\nproxy_user: www-data"))
                .hasMessageContaining("proxy_user_header");
    }
}
