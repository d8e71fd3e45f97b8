/// What this folder precompiles: torch's headers, read before any other so that clang accepts them as C++20.
#pragma once

#include <string>

#if defined(__clang__) && defined(__GLIBCXX__)
// torch 1.13 uses std::vector<c10::IValue> inside functions before c10::IValue is complete. That is lawful as
// long as members of vector are instantiated at the end of the file, but clang instantiates constexpr
// functions where they are used, and C++20 made vector's members constexpr. Here they are not; nothing in
// this folder needs them to be.
#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 fill_of_bits  // declared constexpr by <string> already
#include <vector>
#undef __fill_a1
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")
#endif

#include <torch/script.h>
#include <torch/torch.h>
