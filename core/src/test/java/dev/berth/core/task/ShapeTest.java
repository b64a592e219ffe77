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
                        Shape.of(Need.cards(1), NONE),
                        Shape.of(Need.cards(2), NONE),
                        shape(new Need.Cards(new Need.Count(1, 2), any, Need.Memory.UNSTATED)),
                        shape(new Need.Cards(Need.Count.of(1), any, Need.Memory.of(5))),
                        shape(new Need.Cards(Need.Count.of(1), any, Need.Memory.shared(5))),
                        shape(
                                new Need.Cards(
                                        Need.Count.of(1), Optional.of("A"), Need.Memory.UNSTATED)),
                        shape(Need.Cards.on(Devices.of(1), any, Need.Memory.UNSTATED)),
                        shape(Need.Cards.on(Devices.of(1, 2), any, Need.Memory.UNSTATED)),
                        Shape.of(Need.cards(1), work("m", null, 0)),
                        Shape.of(Need.cards(1), work(null, "m", 0)),
                        Shape.of(Need.cards(1), work("m", null, 1)));
        assertThat(new TreeSet<>(shapes)).hasSameSizeAs(shapes);
        assertThat(shapes).doesNotHaveDuplicates();
    }

    @Test
    void noNameCanPassForAnotherNeed() {
        var odd = Shape.of(Need.cards(1), work("x|kind 1:y", null, 0));
        assertThat(odd).isNotEqualTo(Shape.of(Need.cards(1), work("x", "y", 0)));
        var type = Optional.of("A|on 0");
        var named = new Need.Cards(Need.Count.of(1), type, Need.Memory.UNSTATED);
        assertThat(shape(named))
                .isNotEqualTo(
                        shape(
                                Need.Cards.on(
                                        Devices.of(0), Optional.of("A"), Need.Memory.UNSTATED)));
    }

    @Test
    void whatNoChoiceOfCardsDependsOnIsNoPartOfTheShape() {
        var spec = TaskSpec.of("one", "true", Need.cards(1), "/");
        var other =
                TaskSpec.of("two", "false", Need.cards(1), "/tmp")
                        .with(Priority.HIGH)
                        .with(Duration.ofHours(1));
        assertThat(Shape.of(spec)).isEqualTo(Shape.of(other)).hasSameHashCodeAs(Shape.of(other));
    }

    @Test
    void devicesAreAscendingAndHaveAWord() {
        assertThat(Devices.of(10, 2).word()).isEqualTo("2,10");
        assertThat(Devices.parse("2,10")).isEqualTo(Devices.of(10, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> Devices.parse("0,x"));
        assertThatIllegalArgumentException().isThrownBy(() -> Devices.parse(""));
        assertThatIllegalArgumentException().isThrownBy(() -> Devices.of(-1));
    }

    @Test
    void whatIsNoNeedCannotBeSaid() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Need.Count(4, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new Need.Count(0, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> work("m", null, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> work(null, null, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Need.Memory(java.util.OptionalLong.empty(), true));
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
