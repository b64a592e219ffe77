package dev.berth.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

class ShapeTest {

    private static final Optional<ModelWork> NONE = Optional.empty();

    @Test
    void differentNeedsHaveDifferentShapes() {
        var any = Optional.<String>empty();
        var shapes =
                List.of(
                        Shape.of(Need.CPU, NONE),
                        Shape.of(Need.gpus(1), NONE),
                        Shape.of(Need.gpus(2), NONE),
                        shape(new Need.Gpus(new Need.GpuCount(1, 2), any, Need.GpuMemory.UNSTATED)),
                        shape(new Need.Gpus(Need.GpuCount.of(1), any, Need.GpuMemory.of(5))),
                        shape(new Need.Gpus(Need.GpuCount.of(1), any, Need.GpuMemory.shared(5))),
                        shape(
                                new Need.Gpus(
                                        Need.GpuCount.of(1),
                                        Optional.of("A"),
                                        Need.GpuMemory.UNSTATED)),
                        shape(Need.Gpus.on(GpuIndices.of(1), any, Need.GpuMemory.UNSTATED)),
                        shape(Need.Gpus.on(GpuIndices.of(1, 2), any, Need.GpuMemory.UNSTATED)),
                        Shape.of(Need.gpus(1), work("m", null, 0)),
                        Shape.of(Need.gpus(1), work(null, "m", 0)),
                        Shape.of(Need.gpus(1), work("m", null, 1)));
        assertThat(new TreeSet<>(shapes)).hasSameSizeAs(shapes);
        assertThat(shapes).doesNotHaveDuplicates();
    }

    @Test
    void noNameIsMistakenForAnotherNeed() {
        var odd = Shape.of(Need.gpus(1), work("x|kind 1:y", null, 0));
        assertThat(odd).isNotEqualTo(Shape.of(Need.gpus(1), work("x", "y", 0)));
        var type = Optional.of("A|on 0");
        var named = new Need.Gpus(Need.GpuCount.of(1), type, Need.GpuMemory.UNSTATED);
        assertThat(shape(named))
                .isNotEqualTo(
                        shape(
                                Need.Gpus.on(
                                        GpuIndices.of(0),
                                        Optional.of("A"),
                                        Need.GpuMemory.UNSTATED)));
    }

    @Test
    void theShapeHoldsOnlyWhatTheSelectionOfGpusDependsOn() {
        var spec = TaskSpec.of("one", "true", Need.gpus(1), "/");
        var other =
                TaskSpec.of("two", "false", Need.gpus(1), "/tmp")
                        .with(Priority.HIGH)
                        .with(Duration.ofHours(1));
        assertThat(Shape.of(spec)).isEqualTo(Shape.of(other)).hasSameHashCodeAs(Shape.of(other));
    }

    @Test
    void gpuIndicesAreAscendingAndHaveAnApiName() {
        assertThat(GpuIndices.of(10, 2).apiName()).isEqualTo("2,10");
        assertThat(GpuIndices.parse("2,10")).isEqualTo(GpuIndices.of(10, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> GpuIndices.parse("0,x"));
        assertThatIllegalArgumentException().isThrownBy(() -> GpuIndices.parse(""));
        assertThatIllegalArgumentException().isThrownBy(() -> GpuIndices.of(-1));
    }

    @Test
    void anInvalidNeedCannotBeCreated() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Need.GpuCount(4, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new Need.GpuCount(0, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> work("m", null, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> work(null, null, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Need.GpuMemory(java.util.OptionalLong.empty(), true));
    }

    private static Shape shape(Need need) {
        return Shape.of(need, NONE);
    }

    private static Optional<ModelWork> work(
            @org.jspecify.annotations.Nullable String model,
            @org.jspecify.annotations.Nullable String kind,
            int atoms) {
        return Optional.of(
                new ModelWork(Optional.ofNullable(model), Optional.ofNullable(kind), atoms));
    }
}
