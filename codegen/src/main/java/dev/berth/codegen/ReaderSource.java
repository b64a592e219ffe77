package dev.berth.codegen;

import dev.berth.wire.Flat;
import dev.berth.wire.WireName;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The source text of a class that reads JSON objects into records, one static method per record. A
 * missing field reads as an empty string, 0, false, an empty list or an empty map, and as null if
 * its component is {@code @Nullable}. The generated code uses no lambdas and no reflection, because
 * the CLI would pay for both at each start.
 */
final class ReaderSource {

    /**
     * @param fields the simple name of the class that represents a JSON object
     */
    record Target(String packageName, String className, String fields) {}

    /** The ways in which a record occurs: alone, absent or present, in an array, in an object. */
    private enum Variant {
        ONE(""),
        NULLABLE("OrNull"),
        LIST("List"),
        NULLABLE_LIST("ListOrNull"),
        MAP("Map");

        private final String suffix;

        Variant(String suffix) {
            this.suffix = suffix;
        }
    }

    private record Method(Class<?> type, Variant variant) {
        String name() {
            var simple = nested(type).replace(".", "");
            return Character.toLowerCase(simple.charAt(0)) + simple.substring(1) + variant.suffix;
        }
    }

    private final Target target;
    private final Map<String, String> methods = new TreeMap<>();
    private final Deque<Method> pending = new ArrayDeque<>();
    private final TreeSet<String> imports = new TreeSet<>();

    ReaderSource(Target target) {
        this.target = target;
    }

    String generate(
            List<Class<? extends Record>> replies, List<Class<? extends Record>> listReplies) {
        replies.forEach(type -> call(type, Variant.ONE));
        listReplies.forEach(type -> call(type, Variant.LIST));
        while (!pending.isEmpty()) {
            var method = pending.pop();
            methods.put(method.name(), body(method));
        }
        var text = new StringBuilder("package " + target.packageName() + ";\n\n");
        imports.forEach(name -> text.append("import ").append(name).append(";\n"));
        text.append(
                """

                import java.util.ArrayList;
                import java.util.LinkedHashMap;
                import java.util.List;
                import java.util.Map;

                import javax.annotation.processing.Generated;

                import org.jspecify.annotations.Nullable;

                /** Reads the server's replies. Generated from the records of wire. */
                @Generated("dev.berth.codegen.CliReaders")
                public final class %s {

                    private %s() {}
                """
                        .formatted(target.className(), target.className()));
        methods.values().forEach(method -> text.append('\n').append(method));
        return text.append("}\n").toString();
    }

    /** The name of a method, which is generated if it does not exist yet. */
    private String call(Class<?> type, Variant variant) {
        var method = new Method(type, variant);
        if (!methods.containsKey(method.name())) {
            methods.put(method.name(), "");
            pending.push(method);
        }
        return method.name();
    }

    private String body(Method method) {
        return switch (method.variant()) {
            case ONE -> one(method);
            case NULLABLE -> nullable(method);
            case LIST -> list(method);
            case NULLABLE_LIST -> nullableList(method);
            case MAP -> map(method);
        };
    }

    private String one(Method method) {
        return """
            public static %s %s(@Nullable Object json) {
                %s fields = %s.of(json);
                return %s;
            }
        """
                .formatted(
                        nested(method.type()),
                        method.name(),
                        target.fields(),
                        target.fields(),
                        construct(method.type(), "        "));
    }

    private String nullable(Method method) {
        return """
            private static %s %s(@Nullable Object json) {
                return %s.of(json).map().isEmpty() ? null : %s(json);
            }
        """
                .formatted(
                        nullableName(method.type()),
                        method.name(),
                        target.fields(),
                        call(method.type(), Variant.ONE));
    }

    private String list(Method method) {
        return """
            public static List<%s> %s(@Nullable Object json) {
                List<%s> all = new ArrayList<>();
                if (json instanceof List<?> list) {
                    for (Object element : list) {
                        all.add(%s(element));
                    }
                }
                return all;
            }
        """
                .formatted(
                        nested(method.type()),
                        method.name(),
                        nested(method.type()),
                        call(method.type(), Variant.ONE));
    }

    private String nullableList(Method method) {
        return """
            private static @Nullable List<%s> %s(@Nullable Object json) {
                return json instanceof List<?> ? %s(json) : null;
            }
        """
                .formatted(nested(method.type()), method.name(), call(method.type(), Variant.LIST));
    }

    private String map(Method method) {
        return """
            private static Map<String, %s> %s(@Nullable Object json) {
                Map<String, %s> all = new LinkedHashMap<>();
                if (json instanceof Map<?, ?> map) {
                    for (Map.Entry<?, ?> entry : map.entrySet()) {
                        all.put(String.valueOf(entry.getKey()), %s(entry.getValue()));
                    }
                }
                return all;
            }
        """
                .formatted(
                        nested(method.type()),
                        method.name(),
                        nested(method.type()),
                        call(method.type(), Variant.ONE));
    }

    private String construct(Class<?> type, String indent) {
        imports.add(outermost(type).getName());
        var inner = indent + "        ";
        var arguments = new ArrayList<String>();
        for (var component : type.getRecordComponents()) {
            arguments.add("\n" + inner + value(component, inner));
        }
        return "new " + nested(type) + "(" + String.join(",", arguments) + ")";
    }

    private String value(RecordComponent component, String indent) {
        var type = component.getType();
        if (component.isAnnotationPresent(Flat.class)) {
            return construct(type, indent);
        }
        var name = '"' + WireName.of(component.getName()) + '"';
        boolean isNullable = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
        if (type.isRecord()) {
            return "%s(fields.value(%s))"
                    .formatted(call(type, isNullable ? Variant.NULLABLE : Variant.ONE), name);
        }
        if (type == List.class) {
            return listValue(component, name, isNullable);
        }
        if (type == Map.class) {
            return mapValue(component, name, isNullable);
        }
        return "fields.%s(%s)".formatted(scalar(component, isNullable), name);
    }

    private static String scalar(RecordComponent component, boolean isNullable) {
        var type = component.getType();
        if (type == String.class) {
            return isNullable ? "textOrNull" : "text";
        }
        return switch (type.getName()) {
            case "boolean" -> "isTrue";
            case "int" -> "number";
            case "long" -> "longNumber";
            case "double" -> "decimal";
            case "java.lang.Integer" -> required(component, isNullable, "numberOrNull");
            case "java.lang.Long" -> required(component, isNullable, "longOrNull");
            case "java.lang.Double" -> required(component, isNullable, "decimalOrNull");
            case "java.lang.Boolean" -> required(component, isNullable, "isTrueOrNull");
            case "java.lang.Object" -> isNullable ? "value" : "presentValue";
            default -> throw unsupported(component);
        };
    }

    private static String required(RecordComponent component, boolean isNullable, String method) {
        if (!isNullable) {
            throw unsupported(component);
        }
        return method;
    }

    private String listValue(RecordComponent component, String name, boolean isNullable) {
        var element = argument(component, 0);
        if (element == String.class) {
            return "fields.%s(%s)".formatted(isNullable ? "textsOrNull" : "texts", name);
        }
        if (element == Integer.class) {
            return "fields.%s(%s)".formatted(isNullable ? "numbersOrNull" : "numbers", name);
        }
        if (element == Long.class && !isNullable) {
            return "fields.longNumbers(%s)".formatted(name);
        }
        if (element instanceof Class<?> record && record.isRecord()) {
            return "%s(fields.value(%s))"
                    .formatted(
                            call(record, isNullable ? Variant.NULLABLE_LIST : Variant.LIST), name);
        }
        throw unsupported(component);
    }

    private String mapValue(RecordComponent component, String name, boolean isNullable) {
        var value = argument(component, 1);
        if (value == String.class) {
            return "fields.%s(%s)".formatted(isNullable ? "textMapOrNull" : "textMap", name);
        }
        if (isNullable) {
            throw unsupported(component);
        }
        if (value == Integer.class) {
            return "fields.numberMap(%s)".formatted(name);
        }
        if (value == Double.class) {
            return "fields.decimalMap(%s)".formatted(name);
        }
        if (value == Object.class) {
            boolean mayBeNull = hasNullableArgument(component.getAnnotatedType(), 1);
            return "fields.%s(%s)".formatted(mayBeNull ? "valueMap" : "presentValueMap", name);
        }
        if (value instanceof Class<?> record && record.isRecord()) {
            return "%s(fields.value(%s))".formatted(call(record, Variant.MAP), name);
        }
        throw unsupported(component);
    }

    private static Type argument(RecordComponent component, int index) {
        return ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[index];
    }

    private static boolean hasNullableArgument(AnnotatedType type, int index) {
        return type instanceof AnnotatedParameterizedType generic
                && generic.getAnnotatedActualTypeArguments()[index].isAnnotationPresent(
                        Nullable.class);
    }

    private static IllegalArgumentException unsupported(RecordComponent component) {
        return new IllegalArgumentException(
                "no reader for " + component.getDeclaringRecord().getName() + "." + component);
    }

    private static Class<?> outermost(Class<?> type) {
        var outer = type;
        while (outer.getEnclosingClass() != null) {
            outer = outer.getEnclosingClass();
        }
        return outer;
    }

    /** {@code GpuInfo.Process}. */
    private static String nested(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
    }

    /** A type annotation stands before the last name: {@code GpuInfo.@Nullable Fault}. */
    private static String nullableName(Class<?> type) {
        var name = nested(type);
        int dot = name.lastIndexOf('.') + 1;
        return name.substring(0, dot) + "@Nullable " + name.substring(dot);
    }
}
