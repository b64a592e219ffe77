package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.node.linux.Spawner;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Optional;

class NativeShimTest {

    /** Like one for a C library without the functions that the native shim relies on. */
    private static final Spawner OLD =
            new Spawner() {
                @Override
                public Spawned spawn(SpawnRequest order) {
                    throw new AssertionError("nothing is started");
                }

                @Override
                public boolean entersCgroups() {
                    return false;
                }

                @Override
                public boolean opensExitRecord() {
                    return false;
                }
            };

    /** Like a host that does not execute programs from memory. */
    private static final Spawner REFUSING =
            new Spawner() {
                @Override
                public Spawned spawn(SpawnRequest order) throws IOException {
                    throw new IOException("Permission denied");
                }

                @Override
                public boolean entersCgroups() {
                    return false;
                }

                @Override
                public boolean opensExitRecord() {
                    return true;
                }
            };

    @Test
    void whereItDoesNotWorkBashIsUsedUnlessItIsRequired() throws IOException {
        for (var spawner : new Spawner[] {OLD, REFUSING}) {
            assertThat(NativeShim.open(ShimChoice.AUTO, spawner)).isEmpty();
            assertThatThrownBy(() -> NativeShim.open(ShimChoice.NATIVE, spawner))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void bashIsUsedIfItIsRequired() throws IOException {
        assertThat(NativeShim.open(ShimChoice.BASH, OLD)).isEqualTo(Optional.empty());
    }

    @Test
    void itRunsFromMemory() throws IOException {
        ShimChoices.require(ShimChoice.NATIVE);
        try (var shim = NativeShim.open(ShimChoice.AUTO, Spawner.forThisHost()).orElseThrow()) {
            assertThat(shim.program()).exists();
        }
    }
}
