package io.verbena.hardware.provider;

import io.verbena.hardware.provider.request.IdTable;
import io.verbena.hardware.provider.request.SharedSlots;
import io.verbena.verbs.SharedReceiveQueue;

/** A shared receive queue as the RNIC and the queue pairs see it. */
interface SharedReceives extends SharedReceiveQueue, IdTable.Member {

    /** Its ibv_srq. */
    long srq();

    SharedSlots slots();
}
