package io.verbena.hardware.provider;

import io.verbena.hardware.abi.RdmaLibraries;
import io.verbena.objects.WorkDomain;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WorkOpcode;

/** The protection domain as its members see it: it counts them. */
interface AdapterDomain extends ProtectionDomain, WorkDomain {

    @Override
    AdapterContext rnic();

    RdmaLibraries libraries();

    /** Its ibv_pd. */
    long pd();

    /** Rejects what the adapter cannot do. */
    void checkOperation(WorkOpcode opcode);

    /** A key was invalidated. */
    void invalidated(int key);

    /** A region of 8 bytes for unbinds. */
    MemoryRegion unbindRegion();

    /** Frees the native windows of a region: an adapter deregisters none with a bound window. */
    void freeWindowsOf(MemoryRegion region);

    /** Frees the native windows that are bound at a queue pair: an adapter destroys it late or never with them. */
    void freeWindowsOf(QueuePair queuePair);

    /** A window was closed. */
    void left(MemoryWindow window);

    /** An object of the domain was closed. */
    void left();
}
