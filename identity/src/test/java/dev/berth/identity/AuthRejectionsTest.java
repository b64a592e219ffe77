package dev.berth.identity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

class AuthRejectionsTest {

    private final List<String> written = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();

    private Logger log() {
        return (Logger)
                Proxy.newProxyInstance(
                        Logger.class.getClassLoader(),
                        new Class<?>[] {Logger.class},
                        (_, method, said) -> {
                            written.add(method.getName() + " " + Arrays.deepToString(said));
                            return null;
                        });
    }

    @Test
    void rejectedCallersCannotFillTheLog() {
        var strangers = new AuthRejections(log(), nanos::get);
        for (int i = 0; i < 5_000; i++) {
            assertThat(strangers.notServed("ann", "bob")).isInstanceOf(AuthResult.NotServed.class);
            assertThat(strangers.unknownUser("why")).isInstanceOf(AuthResult.NotServed.class);
        }
        assertThat(written).hasSize(100);
        nanos.addAndGet(1_000_000_000);
        strangers.notServed("ann", "eve");
        assertThat(written).hasSize(102);
        assertThat(written.get(100)).contains("9900").contains("not written down");
        assertThat(written.get(101)).contains("eve");
    }
}
