package io.verbena.hardware.abi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of functions. */
class NativeFunctionTest {

    @ParameterizedTest
    @CsvSource({
        "POINTER, 4096, 22, 0",
        "POINTER, 0, 12, 12",
        "POINTER, 0, 0, 2147483647",
        "RESULT, 0, 22, 0",
        "RESULT, 22, 0, 22",
        "RESULT, -12, 0, 12",
        "RESULT, -1, 0, 1",
        "MINUS_ONE, 0, 22, 0",
        "MINUS_ONE, -1, 111, 111",
        "MINUS_ONE, -1, 0, 2147483647",
        "COUNT, 3, 22, 0",
        "COUNT, 0, 22, 0",
        "COUNT, -95, 0, 95",
        "VALUE, -1, 22, 0"
    })
    void failure_ofEachConvention_isFound(Convention convention, long returned, int errno, int failure) {
        assertEquals(failure, convention.failure(returned, errno));
    }

    @ParameterizedTest
    @EnumSource(NativeFunction.class)
    void everyFunction_isInTheInstalledLibrary(NativeFunction function) {
        Optional<SymbolLookup> library = Optional.empty();
        try {
            library = Optional.of(SymbolLookup.libraryLookup(function.library().file(), Arena.global()));
        } catch (IllegalArgumentException e) {
            assumeTrue(false, "needs " + function.library().debianPackage());
        }
        assertTrue(library.orElseThrow().find(function.symbol()).isPresent());
    }

    @Test
    void libraryWithoutAFunction_isRefusedInOneSentence() {
        VerbsException refused =
                assertThrows(VerbsException.class, () -> RdmaLibraries.over(function -> Optional.empty()));
        assertEquals(
                "libibverbs.so.1 does not have the function ibv_get_device_list: it is older than version 44 of"
                        + " rdma-core; install a newer libibverbs1.",
                refused.getMessage());
    }

    @Test
    void contextOfAnUnknownLayout_isRefused() {
        try (Arena arena = Arena.ofConfined()) {
            long context = arena.allocate(IbvContext.STRUCT.sizeBytes(), 8).address();
            VerbsException refused = assertThrows(VerbsException.class, () -> new ContextCalls(context, false));
            assertTrue(String.valueOf(refused.getMessage()).contains("query_port is missing"), refused::getMessage);
        }
    }

    @Test
    void contextAfterAShortStructure_lacksThePointer() {
        try (Arena arena = Arena.ofConfined()) {
            long context =
                    arena.allocate(320L + IbvContext.STRUCT.sizeBytes(), 8).address() + 320;
            Native.putLong(context + IbvContext.ABI_COMPAT, -1);
            Native.putLong(context + ContextOp.SIZE_DISTANCE, 328 + 319);
            assertTrue(ContextOp.MODIFY_CQ.present(context));
            assertTrue(!ContextOp.QUERY_PORT.present(context));
            Native.putLong(context + ContextOp.SIZE_DISTANCE, 328 + 320);
            assertTrue(ContextOp.QUERY_PORT.present(context));
        }
    }
}
