/** Command files: list, read, replace, create, delete. */
@NullMarked
package dev.berth.server.api.command;

import org.jspecify.annotations.NullMarked;
