package dev.berth.node.log;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds a text in bytes by the algorithm of Horspool, without regard to upper and lower case of A
 * to Z. Fast also without the optimizing compiler, which the server does not use.
 */
final class ByteSearch {
    private static final int VALUES = 256;
    private static final int SHORT = 3;

    private final byte[] lower = new byte[VALUES];
    private final int[] shift = new int[VALUES];
    private final byte[] text;

    ByteSearch(String text) {
        for (int value = 0; value < VALUES; value++) {
            boolean isUpper = value >= 'A' && value <= 'Z';
            lower[value] = (byte) (isUpper ? value - 'A' + 'a' : value);
        }
        this.text = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < this.text.length; i++) {
            this.text[i] = lower[this.text[i] & 0xff];
        }
        int length = this.text.length;
        Arrays.fill(shift, length);
        for (int i = 0; i < length - 1; i++) {
            for (int value = 0; value < VALUES; value++) {
                if (lower[value] == this.text[i]) {
                    shift[value] = length - 1 - i;
                }
            }
        }
    }

    int length() {
        return text.length;
    }

    /** Where the text begins between these indices; -1 if it is not there. */
    int find(byte[] bytes, int from, int to) {
        return text.length <= SHORT ? findShort(bytes, from, to) : findLong(bytes, from, to);
    }

    /** A short text allows only small steps: comparing one byte after the other is faster. */
    private int findShort(byte[] bytes, int from, int to) {
        byte low = text[0];
        byte high = (byte) (low >= 'a' && low <= 'z' ? low - 'a' + 'A' : low);
        int end = to - text.length + 1;
        int at = from;
        while (true) {
            while (at < end && bytes[at] != low && bytes[at] != high) {
                at++;
            }
            if (at >= end) {
                return -1;
            }
            int matched = 1;
            while (matched < text.length && lower[bytes[at + matched] & 0xff] == text[matched]) {
                matched++;
            }
            if (matched == text.length) {
                return at;
            }
            at++;
        }
    }

    private int findLong(byte[] bytes, int from, int to) {
        int last = text.length - 1;
        int end = from + last;
        while (end < to) {
            int left = last;
            int at = end;
            while (left >= 0 && lower[bytes[at] & 0xff] == text[left]) {
                left--;
                at--;
            }
            if (left < 0) {
                return at + 1;
            }
            end += shift[bytes[end] & 0xff];
        }
        return -1;
    }
}
