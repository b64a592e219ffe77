/**
 * The console's <em>files</em>, as the build put them on the class path. They hold nothing of any
 * user: the page asks for that by the API, and is asked there who it is.
 */
@NullMarked
package dev.berth.server.console;

import org.jspecify.annotations.NullMarked;
