package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** No doorbell, claim or wakeup is lost, whatever the order of the steps; and no step can be left out. */
class EngineOwnershipModelTest {

    @ParameterizedTest
    @CsvSource({
        "false, 1, 2, true",
        "false, 1, 2, false",
        "true, 1, 2, true",
        "false, 2, 1, true",
        "false, 2, 1, false",
        "true, 2, 1, true"
    })
    void everyOrder_nothingIsLost(boolean timed, int ringers, int comings, boolean waker) {
        OwnershipModel model = new OwnershipModel(timed);
        assertEquals("", model.fault(ringers, comings, waker));
        assertTrue(model.states() > 1_000, model.states() + " states");
    }

    @ParameterizedTest
    @EnumSource
    void oneStepLeftOut_somethingIsLost(OwnershipModel.Omission omission) {
        assertNotEquals(
                "",
                new OwnershipModel(false, omission).fault(1, 2, false)
                        + new OwnershipModel(false, omission).fault(1, 2, true)
                        + new OwnershipModel(false, omission).fault(2, 1, true));
    }

    @Test
    void ownership_followsTheModel() {
        EngineOwnership ownership = new EngineOwnership();
        assertEquals(EngineOwnership.Ring.NOTHING, ownership.ring(), "the engine thread drives");
        ownership.fallAsleep();
        assertEquals(EngineOwnership.Ring.WAKE_DRIVER, ownership.ring());
        assertEquals(EngineOwnership.Ring.NOTHING, ownership.ring(), "woken once");
        assertTrue(ownership.wakeUp());
        assertFalse(ownership.borrow(), "not before it is lent");
        assertFalse(ownership.wanted());
        assertTrue(ownership.claim());
        assertFalse(ownership.claim(), "one at a time");
        assertTrue(ownership.wanted());
        ownership.lend();
        assertEquals(EngineOwnership.Ring.CALL_ENGINE_THREAD, ownership.ring());
        assertEquals(EngineOwnership.Ring.NOTHING, ownership.ring(), "called once");
        assertTrue(ownership.wasCalled());
        assertTrue(ownership.borrow());
        assertFalse(ownership.takeBack(), "never from a borrower that is inside");
        assertEquals(EngineOwnership.Ring.NOTHING, ownership.ring());
        assertTrue(ownership.rest());
        ownership.giveBack();
        assertTrue(ownership.endRest());
        assertFalse(ownership.endRest());
        assertFalse(ownership.rest(), "no borrower is inside");
        assertTrue(ownership.takeBack());
    }

    @Test
    void engineThreadAsleep_asked_isWokenOnceAndTheRequestRemains() {
        EngineOwnership ownership = new EngineOwnership();
        ownership.fallAsleep();
        assertTrue(ownership.ask());
        assertFalse(ownership.ask(), "woken once");
        assertTrue(ownership.wakeUp());
        assertTrue(ownership.wanted(), "the thread that has asked does not wait");
        ownership.lend();
        assertFalse(ownership.wanted());
        assertFalse(ownership.ask(), "it is free");
        assertFalse(ownership.wanted());
        assertTrue(ownership.borrow());
    }
}
