package dev.berth.core.batch;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The GPUs of {@code --gres=gpu:a100:2}, {@code --gpus=a100:2} or {@code --gpus-per-node=2}.
 *
 * @param count 0 for a task without GPUs
 */
public record BatchGpus(int count, Optional<String> type) {

    private static final BatchGpus NONE = new BatchGpus(0, Optional.empty());
    private static final Pattern GRES =
            Pattern.compile("(?:gres/)?gpu(?:[:=]([A-Za-z][\\w.-]*))?(?:[:=](\\d{1,4}))?");
    private static final Pattern COUNT = Pattern.compile("(?:([A-Za-z][\\w.-]*):)?(\\d{1,4})");

    /** Empty if the option asks for anything but GPUs of one type. */
    public static Optional<BatchGpus> of(BatchOption option) {
        var text = option.value().orElse("").strip();
        if (option.name().equals("--gres")) {
            return gres(text);
        }
        var found = COUNT.matcher(text);
        return found.matches()
                ? Optional.of(of(Integer.parseInt(found.group(2)), found.group(1)))
                : Optional.empty();
    }

    private static Optional<BatchGpus> gres(String text) {
        if (text.equals("none")) {
            return Optional.of(NONE);
        }
        var found = GRES.matcher(text);
        if (!found.matches()) {
            return Optional.empty();
        }
        int count = found.group(2) == null ? 1 : Integer.parseInt(found.group(2));
        return Optional.of(of(count, found.group(1)));
    }

    private static BatchGpus of(int count, @Nullable String type) {
        return count == 0 ? NONE : new BatchGpus(count, Optional.ofNullable(type));
    }
}
