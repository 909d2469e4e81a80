package io.verbena.objects;

import io.verbena.verbs.MemoryWindow;

/** A memory window that a bind or unbind names. */
public interface NamedWindow extends MemoryWindow, Named {}
