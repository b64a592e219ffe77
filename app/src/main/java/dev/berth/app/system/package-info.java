/**
 * Sets up the server for all users of a machine ({@code berth system}). A <em>step</em> compares
 * one part of the installation with what it should be, and brings it about if they differ; so the
 * same call can be repeated at any time. An <em>import</em> takes the tasks of a personal home
 * over.
 */
@NullMarked
package dev.berth.app.system;

import org.jspecify.annotations.NullMarked;
