/**
 * The fields of a JSON object, and the generated readers of the API records. They use no library,
 * because every call of {@code berth} pays for the classes it loads.
 */
@NullMarked
package dev.berth.cli.json;

import org.jspecify.annotations.NullMarked;
