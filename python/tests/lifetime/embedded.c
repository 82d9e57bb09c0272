/* A program that embeds Python: runs its first argument, then the second on a thread with a state of its own, then the
   third, and ends the interpreter. The exit status tells which of them failed. */
#include <Python.h>
#include <pthread.h>

static void *on_its_own(void *code)
{
    PyThreadState *state = PyThreadState_New(PyInterpreterState_Main());
    PyEval_AcquireThread(state);
    int failed = PyRun_SimpleString(code);
    PyThreadState_Clear(state);
    PyThreadState_DeleteCurrent();
    return failed ? code : NULL;
}

int main(int count, char **codes)
{
    pthread_t thread;
    void *failed = NULL;
    if (count != 4)
        return 5;
    Py_InitializeEx(0);
    if (PyRun_SimpleString(codes[1]))
        return 1;
    PyThreadState *state = PyEval_SaveThread();
    if (pthread_create(&thread, NULL, on_its_own, codes[2]) || pthread_join(thread, &failed) || failed)
        return 2;
    PyEval_RestoreThread(state);
    if (PyRun_SimpleString(codes[3]))
        return 3;
    return Py_FinalizeEx() ? 4 : 0;
}
