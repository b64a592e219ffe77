package dev.berth.app;

import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.junit.jupiter.api.Tag;
import org.junit.platform.commons.support.AnnotationSupport;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Runs classes with slow tests before all others: if one of them began last, it would run for
 * minutes while other cores are idle.
 */
final class SlowFirst implements ClassOrderer {

    @Override
    public void orderClasses(ClassOrdererContext context) {
        context.getClassDescriptors()
                .sort(Comparator.comparing((ClassDescriptor test) -> isSlow(test) ? 0 : 1));
    }

    private static boolean isSlow(ClassDescriptor test) {
        var ofMethods =
                Arrays.stream(test.getTestClass().getDeclaredMethods())
                        .flatMap(
                                method ->
                                        AnnotationSupport.findRepeatableAnnotations(
                                                method, Tag.class)
                                                .stream());
        return Stream.concat(test.findRepeatableAnnotations(Tag.class).stream(), ofMethods)
                .anyMatch(tag -> tag.value().equals("slow"));
    }
}
