package dev.berth.node.pam;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * Answers what PAM's modules ask. The first question without an echo is the password's; any further
 * question cannot be answered by a form with one password, so the check fails.
 */
@SuppressWarnings("restricted") // reads and writes structures of libpam
final class PamConversation {

    private static final int PROMPT_ECHO_OFF = 1;
    private static final int PROMPT_ECHO_ON = 2;
    private static final int MAX_MESSAGES = 32;

    /** A message is an int and an address, a response an address and an int. */
    private static final long STRUCT_BYTES = 16;

    private final byte[] password;
    private boolean isUsed;

    PamConversation(String password) {
        this.password = password.getBytes(StandardCharsets.UTF_8);
    }

    /** Called by libpam, which frees the responses. */
    int answer(int count, MemorySegment messages, MemorySegment result, MemorySegment data) {
        if (count < 1 || count > MAX_MESSAGES) {
            return PamLibrary.CONVERSATION_ERROR;
        }
        var questions = messages.reinterpret(count * ADDRESS.byteSize());
        var responses = PamLibrary.callocate(count * STRUCT_BYTES);
        for (int i = 0; i < count; i++) {
            int style = questions.getAtIndex(ADDRESS, i).reinterpret(STRUCT_BYTES).get(JAVA_INT, 0);
            if (style == PROMPT_ECHO_ON || (style == PROMPT_ECHO_OFF && isUsed)) {
                return PamLibrary.CONVERSATION_ERROR;
            }
            if (style == PROMPT_ECHO_OFF) {
                isUsed = true;
                responses.set(ADDRESS, i * STRUCT_BYTES, copyOfPassword());
            }
        }
        result.reinterpret(ADDRESS.byteSize()).set(ADDRESS, 0, responses);
        return PamLibrary.SUCCESS;
    }

    private MemorySegment copyOfPassword() {
        var copy = PamLibrary.callocate(password.length + 1L);
        MemorySegment.copy(MemorySegment.ofArray(password), 0, copy, 0, password.length);
        return copy;
    }
}
