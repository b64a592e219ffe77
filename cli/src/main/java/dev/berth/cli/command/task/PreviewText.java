package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.TimestampText;
import dev.berth.cli.text.WrappedText;
import dev.berth.wire.Reason;
import dev.berth.wire.TaskPreview;

import org.jspecify.annotations.Nullable;

import java.util.OptionalLong;

/** What a task could expect if it were submitted. */
final class PreviewText {

    private static final int INDENT = 2;

    private final TaskPreview preview;
    private final CallContext context;

    PreviewText(TaskPreview preview, CallContext context) {
        this.preview = preview;
        this.context = context;
    }

    /** The text without the final line end. */
    String text() {
        StringBuilder text = new StringBuilder(start()).append(runTime()).append('\n');
        addReasons(text);
        addMemory(text);
        return text.toString().stripTrailing();
    }

    private String start() {
        if (preview.startsNow()) {
            String gpus = GpuRanges.text(preview.gpus());
            return gpus.isEmpty() ? "would start now" : "would start now on GPU " + gpus;
        }
        Integer position = preview.position();
        String ahead =
                position == null || position == 0
                        ? ""
                        : position == 1 ? ", 1 task ahead" : ", " + position + " tasks ahead";
        String eta = in(preview.eta());
        String wait = (eta.isEmpty() ? "would wait" : "would start " + eta) + ahead;
        String unknown = ExpectedText.unknown(preview.etaReason());
        return unknown.isEmpty() || position == null ? wait : wait + "; start " + unknown;
    }

    private String in(@Nullable String moment) {
        OptionalLong time = TimestampText.parseEpochSecond(moment);
        if (time.isEmpty()) {
            return "";
        }
        long left = time.getAsLong() - context.clock().now().getEpochSecond();
        return "in about " + DurationText.ahead(left);
    }

    private String runTime() {
        Double seconds = preview.prediction().predictedSeconds();
        Integer runs = preview.prediction().predictedFrom();
        if (seconds == null || runs == null) {
            return "";
        }
        return "; tasks like it ran "
                + DurationText.brief(Math.round(seconds))
                + (runs == 1 ? " (1 run)" : " (median of " + runs + ")");
    }

    private void addMemory(StringBuilder text) {
        Long enough = preview.prediction().suggestedMemoryMb();
        if (enough != null) {
            String hint = "by earlier runs, --memory " + enough + "M is enough";
            WrappedText.append(text, "", INDENT, hint, context.width());
        }
    }

    private void addReasons(StringBuilder text) {
        for (Reason reason : preview.reasons()) {
            WrappedText.append(text, "", INDENT, reason.detail(), context.width());
            for (Reason part : reason.parts()) {
                WrappedText.append(text, "", 2 * INDENT, part.detail(), context.width());
            }
        }
    }
}
