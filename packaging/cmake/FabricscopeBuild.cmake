# Compiler settings and the functions that declare our libraries and tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# moc 6.4 cannot read libstdc++'s <concepts>; this hides it from moc only.
set(CMAKE_AUTOMOC_MOC_OPTIONS -D_GLIBCXX_CONCEPTS)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
if(FABRICSCOPE_ASSERTIONS)
    string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
    string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
endif()

# Times of the astra-* models are IEEE doubles evaluated as written: no fused multiply-add.
add_compile_options(-ffp-contract=off)
if(FABRICSCOPE_SANITIZE)
    add_compile_options(-fsanitize=${FABRICSCOPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${FABRICSCOPE_SANITIZE})
    # Checks of every pointer: a third of the time to compile, for what the address sanitizer stops at as soon as such a pointer is used.
    if(FABRICSCOPE_SANITIZE MATCHES undefined AND NOT FABRICSCOPE_SANITIZE_POINTERS)
        add_compile_options(-fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
    endif()
endif()

# GNU ld takes four times as long for a test program as mold. A linker chosen otherwise stays. Not lld 14: exceptions end programs that g++ 12 compiled and it linked.
if(NOT "$ENV{LDFLAGS} ${CMAKE_EXE_LINKER_FLAGS}" MATCHES "-fuse-ld")
    include(CheckLinkerFlag)
    check_linker_flag(CXX -fuse-ld=mold FABRICSCOPE_LINKS_WITH_mold)
    if(FABRICSCOPE_LINKS_WITH_mold)
        add_link_options(-fuse-ld=mold)
    endif()
endif()

find_program(FABRICSCOPE_CCACHE ccache)
if(FABRICSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Build folders and precompiled headers must not make cache entries differ.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${FABRICSCOPE_CCACHE})
    # For what precompiles headers of ours: found by the bytes of all it reads, not by what the preprocessor makes of them, in entries of its own. g++ tells
    # headers by their bytes, and reads one again that a precompiled header has with another comment.
    set(FABRICSCOPE_EXACT_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
    list(INSERT FABRICSCOPE_EXACT_LAUNCHER 3 CCACHE_DEPEND=1 CCACHE_NAMESPACE=exact)
endif()

add_library(fabricscope_options INTERFACE)
target_compile_options(fabricscope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor)
if(FABRICSCOPE_WERROR)
    target_compile_options(fabricscope_options INTERFACE -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        # g++ 12 sees copies of impossible length or place in "text" + std::string (its bugs 105329 and 105651).
        target_compile_options(fabricscope_options INTERFACE -Wno-error=stringop-overflow -Wno-error=restrict -Wno-error=array-bounds)
    endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # ccache needs the preprocessed form of a precompiled header.
    target_compile_options(fabricscope_options INTERFACE -fpch-preprocess)
    # g++ 12 sees uninitialised members where aggregates of strings are moved through std::variant.
    target_compile_options(fabricscope_options INTERFACE -Wno-maybe-uninitialized)
endif()
target_include_directories(fabricscope_options INTERFACE ${CMAKE_SOURCE_DIR})

# Under sanitizers only these libraries are optimised, and inline less: their tests would run longer for it than compiling them takes. The
# others take a third of the time to compile.
set(FABRICSCOPE_OPTIMISED base platform program verify bounds synthesis sim)
# Tests of threads are few and small: only what all of them spend their time in.
if(FABRICSCOPE_SANITIZE STREQUAL thread)
    set(FABRICSCOPE_OPTIMISED base sim)
endif()
# What parses inputs: fuzzers also see its comparisons. Noting them takes a sixth of the time to compile, and most where much is computed.
set(FABRICSCOPE_PARSING base yaml platform trace programio language workload formats design)

# Compiling what is computed much under sanitizers takes most of their time. packaging/test takes libraries whose tests are not of the commit's turn as the
# optimised build made them: code with and without these instruments may be linked.
set(FABRICSCOPE_BORROW "" CACHE PATH "Folder of an optimised build of the same sources; empty: every library is compiled")
set(FABRICSCOPE_BORROWED "" CACHE STRING "Libraries of core taken from there, without fabricscope_")

# fabricscope_borrowed_library(NAME [DEPENDS lib...] [LINK lib...] ...): core/NAME as FABRICSCOPE_BORROW has it.
function(fabricscope_borrowed_library name)
    cmake_parse_arguments(ARG "UNHURRIED" "" "DEPENDS;LINK;EXTRA;DEFINES;ALONE" ${ARGN})
    add_library(fabricscope_${name} STATIC IMPORTED GLOBAL)
    add_library(Fabricscope::${name} ALIAS fabricscope_${name})
    list(TRANSFORM ARG_DEPENDS PREPEND Fabricscope::)
    set_target_properties(fabricscope_${name} PROPERTIES IMPORTED_LINK_INTERFACE_LANGUAGES CXX
        IMPORTED_LOCATION ${FABRICSCOPE_BORROW}/core/${name}/libfabricscope_${name}.a INTERFACE_LINK_LIBRARIES "fabricscope_options;${ARG_DEPENDS};${ARG_LINK}")
endfunction()

# fabricscope_library(NAME [DEPENDS lib...] [LINK lib...] [DEFINES macro...] [ALONE source...]): the library core/NAME of every .cpp in this folder and its rooms.
# DEPENDS are our libraries and the only folders it may include: a file that includes another stops the build. UNHURRIED: compiled in half the time, as
# nothing in it runs long.
function(fabricscope_library name)
    if(FABRICSCOPE_BORROW AND name IN_LIST FABRICSCOPE_BORROWED)
        fabricscope_borrowed_library(${name} ${ARGN})
        return()
    endif()
    cmake_parse_arguments(ARG "UNHURRIED" "" "DEPENDS;LINK;EXTRA;DEFINES;ALONE" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
    add_library(fabricscope_${name} STATIC ${sources} ${ARG_EXTRA})
    add_library(Fabricscope::${name} ALIAS fabricscope_${name})
    set_target_properties(fabricscope_${name} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(fabricscope_${name} PUBLIC fabricscope_options PRIVATE ${ARG_LINK})
    foreach(dependency IN LISTS ARG_DEPENDS)
        target_link_libraries(fabricscope_${name} PUBLIC Fabricscope::${dependency})
    endforeach()
    list(TRANSFORM ARG_DEPENDS PREPEND core/)
    fabricscope_wall(fabricscope_${name} OFF ${ARG_DEPENDS})
    target_compile_definitions(fabricscope_${name} PRIVATE ${ARG_DEFINES})
    fabricscope_batches(fabricscope_${name} ALONE ${ARG_ALONE})
    if(ARG_UNHURRIED)
        fabricscope_unhurried(fabricscope_${name})
    endif()
    set(level O2)
    if(FABRICSCOPE_SANITIZE)
        if(NOT name IN_LIST FABRICSCOPE_OPTIMISED)
            set(level O0)
            target_compile_options(fabricscope_${name} PRIVATE -O0)
        elseif(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
            target_compile_options(fabricscope_${name} PRIVATE "SHELL:-mllvm -inline-threshold=50")
        endif()
        if(FABRICSCOPE_FUZZERS AND NOT name IN_LIST FABRICSCOPE_PARSING)
            target_compile_options(fabricscope_${name} PRIVATE -fno-sanitize-coverage=trace-cmp)
        endif()
    elseif(ARG_UNHURRIED)
        set(level O1)
    endif()
    # A precompiled header is of one level of optimisation.
    get_property(owner GLOBAL PROPERTY FABRICSCOPE_PRECOMPILED_${level})
    if(owner)
        target_precompile_headers(fabricscope_${name} REUSE_FROM ${owner})
    else()
        set_property(GLOBAL PROPERTY FABRICSCOPE_PRECOMPILED_${level} fabricscope_${name})
        target_precompile_headers(fabricscope_${name} PRIVATE ${FABRICSCOPE_PRECOMPILED})
    endif()
endfunction()

# fabricscope_unhurried(TARGET): little in it runs long; half the time to compile.
function(fabricscope_unhurried target)
    if(NOT FABRICSCOPE_SANITIZE)
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
endfunction()

# fabricscope_batches(TARGET [ALONE source...]): the sources of a room are compiled eight at a time, which halves the time of all and keeps a change of
# one within seconds. ALONE: those whose names outside of headers are also those of a neighbour. Without batches (preset dev) a missing include shows.
option(FABRICSCOPE_BATCHES "Compile the sources of a room eight at a time, under sanitizers sixteen" ON)
function(fabricscope_batches target)
    cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
    if(NOT FABRICSCOPE_BATCHES)
        return()
    endif()
    list(TRANSFORM ARG_ALONE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    set(size 8)
    if(FABRICSCOPE_SANITIZE AND NOT target MATCHES "^tests_") # Those name too much alike.
        set(size 16)
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/.*[.]cpp$")
    list(REMOVE_ITEM sources ${ARG_ALONE})
    list(SORT sources)
    set(rooms ${sources})
    list(TRANSFORM rooms REPLACE "/[^/]*$" "")
    list(REMOVE_DUPLICATES rooms)
    foreach(room IN LISTS rooms)
        set(here ${sources})
        list(FILTER here INCLUDE REGEX "^${room}/[^/]*$")
        get_filename_component(name ${room} NAME)
        set(place 0)
        foreach(source IN LISTS here)
            math(EXPR batch "${place} / ${size}")
            math(EXPR place "${place} + 1")
            set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}${batch})
        endforeach()
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# fabricscope_wall(TARGET QT folder...): files of this folder include nothing of ours but these folders, and of Qt only if QT is ON.
function(fabricscope_wall target qt)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
    set(script ${CMAKE_SOURCE_DIR}/packaging/cmake/CheckIncludes.cmake)
    set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${target}.wall)
    string(REPLACE ";" "|" may "${ARGN}")
    add_custom_command(OUTPUT ${stamp} DEPENDS ${sources} ${script} COMMENT "" VERBATIM
        COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DFOLDER=${folder} "-DMAY=${may}" -DQT=${qt} -DSTAMP=${stamp} -P ${script})
    target_sources(${target} PRIVATE ${stamp})
endfunction()

# The standard headers most sources without Qt include.
set(FABRICSCOPE_PRECOMPILED <algorithm> <cstdint> <functional> <map> <memory> <optional> <string> <string_view> <span> <variant> <vector>)
# And those most sources with Qt include. All of QtWidgets is twice as much to read for every one of them.
set(FABRICSCOPE_PRECOMPILED_QT <QtCore/QtCore> <QApplication> <QComboBox> <QFileDialog> <QFontMetricsF> <QGridLayout> <QHBoxLayout> <QHeaderView> <QHelpEvent>
    <QLabel> <QLineEdit> <QMenu> <QPainter> <QPainterPath> <QPushButton> <QScrollArea> <QScrollBar> <QStyle> <QTableView> <QToolButton> <QToolTip> <QVBoxLayout>
    <algorithm> <cstdint> <memory> <optional> <string> <vector>)

# fabricscope_moc(TARGET SOURCE): SOURCE ends with the moc of its own class, #include "NAME.moc". What CMake's automatic moc does takes a
# second a target; there are hundreds.
function(fabricscope_moc target source)
    get_filename_component(name ${source} NAME_WE)
    set(moc ${CMAKE_CURRENT_BINARY_DIR}/moc/${name}.moc)
    add_custom_command(OUTPUT ${moc} DEPENDS ${source} COMMENT "" VERBATIM COMMAND Qt6::moc ${CMAKE_AUTOMOC_MOC_OPTIONS} -o ${moc} ${source})
    target_sources(${target} PRIVATE ${moc})
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/moc)
endfunction()
