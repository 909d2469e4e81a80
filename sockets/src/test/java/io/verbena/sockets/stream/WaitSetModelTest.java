package io.verbena.sockets.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.stream.WaitSetModel.Omission;
import io.verbena.sockets.stream.WaitSetModel.Program;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No signal is lost in any order of the steps of a thread that waits and three that signal, and no step can be left
 * out.
 */
@Timeout(120)
class WaitSetModelTest {

    @ParameterizedTest
    @EnumSource
    void everyOrder_noSignalIsLost(Program program) {
        WaitSetModel model = new WaitSetModel(program);
        assertEquals("", model.fault());
        assertTrue(model.states() > 10_000, model.states() + " states");
    }

    @ParameterizedTest
    @EnumSource
    void oneStepLeftOut_aSignalIsLost(Omission omission) {
        assertNotEquals("", new WaitSetModel(Program.LOOKS_THEN_DEQUEUES, omission).fault());
    }
}
