package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.http.limit.UserLimits;
import dev.berth.identity.AuthMode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

class HttpSettingsTest {

    private static HttpSettings settings(
            String host, AuthMode auth, String publicUrl, Set<String> cors, boolean behindProxy) {
        return new HttpSettings(
                Path.of("/home/x"),
                Path.of("/tmp"),
                host,
                29214,
                false,
                auth,
                publicUrl.isEmpty() ? Optional.empty() : Optional.of(URI.create(publicUrl)),
                cors,
                Optional.empty(),
                behindProxy,
                UserLimits.DEFAULT);
    }

    @Test
    void listensOnLoopbackByDefault() {
        var usual = HttpSettings.onLoopback(Path.of("/home/x"), 29214, AuthMode.TOKEN);
        assertThat(usual).isEqualTo(settings("127.0.0.1", AuthMode.TOKEN, "", Set.of(), false));
        assertThat(UserLimits.DEFAULT).isEqualTo(new UserLimits(5_000, 20_000, 256, 200_000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "192.168.1.5", "gpu-server", "127.0.0.1.evil.example"})
    void otherAddressesNeedAProxy(String host) {
        assertThatThrownBy(() -> settings(host, AuthMode.TOKEN, "", Set.of(), false))
                .hasMessageStartingWith("host: " + host)
                .hasMessageContaining("TLS")
                .hasMessageContaining("behind_proxy");
        assertThat(settings(host, AuthMode.TOKEN, "https://b.example", Set.of(), true).host())
                .isEqualTo(host);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "::1"})
    void loopbackNeedsNoProxy(String host) {
        assertThat(settings(host, AuthMode.NONE, "", Set.of(), false).host()).isEqualTo(host);
    }

    @Test
    void behindAProxyAuthenticationIsRequired() {
        assertThatThrownBy(
                        () ->
                                settings(
                                        "127.0.0.1",
                                        AuthMode.NONE,
                                        "https://b.example",
                                        Set.of(),
                                        true))
                .hasMessageStartingWith("auth:");
        assertThatThrownBy(() -> settings("127.0.0.1", AuthMode.TOKEN, "", Set.of(), true))
                .hasMessageStartingWith("public_url:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "berth.example",
                "ftp://b.example",
                "https://b.example/path",
                "https://user@b.example",
                "https://b.example?x",
                "https:///"
            })
    void aPublicUrlIsAnAddress(String url) {
        assertThatThrownBy(() -> settings("127.0.0.1", AuthMode.TOKEN, url, Set.of(), false))
                .hasMessageStartingWith("public_url:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "null",
                "localhost:1895",
                "http://x/",
                "http://X",
                "http://a, http://b"
            })
    void anOriginIsOneAsABrowserWritesIt(String origin) {
        assertThatThrownBy(() -> settings("127.0.0.1", AuthMode.TOKEN, "", Set.of(origin), false))
                .hasMessageStartingWith("cors_origins:");
    }
}
