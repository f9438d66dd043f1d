/*
 * Short names: real names that gcc and clang gave (libstdc++, LLVM, clang, and a program that has all
 * kinds of operators, closures and templates), each read against what its source says; names by hand;
 * damaged and hostile ones; and the choice of names where functions meet.
 */
#include "base/must.h"
#include "tests/unit/check.h"

#include "debuginfo/names/demangle.h"
#include "debuginfo/names/short_name.h"
#include "debuginfo/names/short_names.h"

#include <stdlib.h>

static const char *const real[][2] = {
    /* clang-format off */
    {"_Z4eachIZL4wrapiE3$_3EvT_",
     "each<wrap::{lambda#4}>"},
    {"_Z4eachIZL4wrapiEUlT_E0_EvS0_",
     "each<wrap::{lambda#2}>"},
    {"_ZL4wrapi",
     "wrap"},
    {"_ZN12_GLOBAL__N_14helpEi",
     "(anon)::help"},
    {"_ZN12_GLOBAL__N_16Hidden2goISt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS8_EEEEvT_",
     "(anon)::Hidden::go<std::vector<std::string>>"},
    {"_ZN12_GLOBAL__N_16Hidden2goIiEEvT_",
     "(anon)::Hidden::go<int>"},
    {"_ZN12_GLOBAL__N_17handlerEi",
     "(anon)::handler"},
    {"_ZN2ns1S2mpIXadL_ZNS0_1mEEEEEvv",
     "ns::S::mp<&ns::S::m>"},
    {"_ZN2ns1SD1Ev",
     "ns::S::~S"},
    {"_ZN2ns1SdlEPv",
     "ns::S::operator delete"},
    {"_ZN2ns1SnwEm",
     "ns::S::operator new"},
    {"_ZN2ns2daIiEEDcT_",
     "ns::da<int>"},
    {"_ZN2ns2v23inlEPSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS7_EE",
     "ns::v2::inl"},
    {"_ZN2ns3BoxINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEC1Ev",
     "ns::Box<std::string>::Box"},
    {"_ZN2ns3BoxINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEED1Ev",
     "ns::Box<std::string>::~Box"},
    {"_ZN2ns3BoxIiEclEi",
     "ns::Box<int>::operator()"},
    {"_ZN2ns3BoxIiEcmES1_",
     "ns::Box<int>::operator,"},
    {"_ZN2ns3BoxIiEixEi",
     "ns::Box<int>::operator[]"},
    {"_ZN2ns3BoxIiEptEv",
     "ns::Box<int>::operator->"},
    {"_ZN2ns3BoxIiErsEi",
     "ns::Box<int>::operator>>"},
    {"_ZN2ns3decIiEEDTltfp_fp0_ET_S2_",
     "ns::dec<int>"},
    {"_ZN2ns4callIXadL_ZN12_GLOBAL__N_17handlerEiEEEEvv",
     "ns::call<&(anon)::handler>"},
    {"_ZN2ns4overERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
     "ns::over"},
    {"_ZN2ns4packIJiPKcNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEEEvDpT_",
     "ns::pack<int, char const*, std::string>"},
    {"_ZN2ns4pickEi",
     "ns::pick"},
    {"_ZN2ns4valsIiJLi1ELin2EEEEvv",
     "ns::vals<int, 1, -2>"},
    {"_ZN2ns5paintILNS_5ColorE0EEEvv",
     "ns::paint<(ns::Color)0>"},
    {"_ZN2ns5tpickIdEEPFvdET_",
     "ns::tpick<double>"},
    {"_ZN2ns6taggedB4tag1IiEET_S1_",
     "ns::tagged<int>"},
    {"_ZNK2ns1S1fEv",
     "ns::S::f"},
    {"_ZNK2ns3BoxIiEcvNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEv",
     "ns::Box<int>::operator std::string"},
    {"_ZNK2ns3BoxIiEcvPFvvEEv",
     "ns::Box<int>::operator void (*)()"},
    {"_ZNK2ns3BoxIiEcvT_IlEEv",
     "ns::Box<int>::operator long<long>"},
    {"_ZNK2ns3BoxIiEcvbEv",
     "ns::Box<int>::operator bool"},
    {"_ZNK2ns3BoxIiEgtIiEEbRKNS0_IT_EE",
     "ns::Box<int>::operator><int>"},
    {"_ZNK2ns3BoxIiElsIiEEbRKNS0_IT_EE",
     "ns::Box<int>::operator<< <int>"},
    {"_ZNK2ns3BoxIiEltERKS1_",
     "ns::Box<int>::operator<"},
    {"_ZNR2ns1S1gEv",
     "ns::S::g"},
    {"_ZZ4mainENK3$_0clERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
     "main::{lambda#1}"},
    {"_ZZ4mainENK3$_1clERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES7_",
     "main::{lambda#2}"},
    {"_ZZ4mainENK3$_2clEv",
     "main::{lambda#3}"},
    {"_ZZ4mainENKUlRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEE_clES6_",
     "main::{lambda#1}"},
    {"_ZZ4mainENKUlRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES6_E0_clES6_S6_",
     "main::{lambda#2}"},
    {"_ZZ4mainENKUlvE1_clEv",
     "main::{lambda#3}"},
    {"_ZZL4wrapiEN5Local3getEv",
     "wrap::Local::get"},
    {"_ZZL4wrapiENK3$_3clIiEEDaT_",
     "wrap::{lambda#4}<int>"},
    {"_ZZL4wrapiENK3$_4clEi",
     "wrap::{lambda#5}"},
    {"_ZZL4wrapiENKUlT_E0_clIiEEDaS_",
     "wrap::{lambda#2}<int>"},
    {"_ZZL4wrapiENKUliE_clEi",
     "wrap::{lambda#1}"},
    {"_ZZZL4wrapiENK3$_4clEiENKUlNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEE_clES5_",
     "wrap::{lambda#5}::{lambda#1}"},
    {"_ZZZL4wrapiENKUliE_clEiENKUlNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEE_clES5_",
     "wrap::{lambda#1}::{lambda#1}"},
    {"_ZdlPv",
     "operator delete"},
    {"_Zli3_kme",
     "operator\"\" _km"},
    {"_Znwm",
     "operator new"},
    {"_ZNSt4pairIPSt18_Rb_tree_node_baseS1_EC1IS1_S1_Lb1EEERKS1_S5_",
     "std::pair<std::_Rb_tree_node_base*, std::_Rb_tree_node_base*>::pair<std::_Rb_tree_node_base*, std::_Rb_tree_node_base*, true>"},
    {"_ZNSt6thread11_State_implINS_8_InvokerISt5tupleIJZ4mainEUlvE1_EEEEED1Ev",
     "std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda#3}>>>::~_State_impl"},
    {"_ZSt11make_sharedIN2ns3BoxINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEEJEESt10shared_ptrINSt9enable_ifIXntsrSt8is_arrayIT_E5valueESC_E4typeEEDpOT0_",
     "std::make_shared<ns::Box<std::string>>"},
    {"_ZNKSt9type_infoeqERKS_",
     "std::type_info::operator=="},
    {"_ZNSt10filesystem7__cxx118__detail17__effective_rangeIA2_cEEDaRKT_",
     "std::filesystem::__detail::__effective_range<char [2]>"},
    {"_ZNSt10unique_ptrINSt6thread6_StateESt14default_deleteIS1_EED5Ev",
     "std::unique_ptr<std::thread::_State>::~unique_ptr"},
    {"_ZNSt10shared_ptrIN2ns3BoxINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEEEC2ISaIvEJEEESt20_Sp_alloc_shared_tagIT_EDpOT0_",
     "std::shared_ptr<ns::Box<std::string>>::shared_ptr<std::allocator<void>>"},
    {"_ZNSt17_Rb_tree_iteratorISt4pairIKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIiSaIiEEEEC1EPSt18_Rb_tree_node_base",
     "std::_Rb_tree_iterator<std::pair<std::string const, std::vector<int>>>::_Rb_tree_iterator"},
    {"_ZNSt8_Rb_treeINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4pairIKS5_St6vectorIiSaIiEEESt10_Select1stISB_ESt4lessIS5_ESaISB_EE10_Auto_nodeC1IJRKSt21piecewise_construct_tSt5tupleIJOS5_EESN_IJEEEEERSH_DpOT_",
     "std::_Rb_tree<std::string, std::pair<std::string const, std::vector<int>>, std::_Select1st<std::pair<std::string const, std::vector<int>>>>::_Auto_node::_Auto_node<std::piecewise_construct_t const&, std::tuple<std::string&&>, std::tuple<>>"},
    {"_ZNSt6chronoltIlSt5ratioILl1ELl1000EElS2_EEbRKNS_8durationIT_T0_EERKNS3_IT1_T2_EE",
     "std::chrono::operator< <long, std::ratio<1l, 1000l>, long, std::ratio<1l, 1000l>>"},
    {"_ZNSt10_Head_baseILm0EZ4mainE3$_2Lb1EEC2IS0_EEOT_",
     "std::_Head_base<0ul, main::{lambda#3}, true>::_Head_base<main::{lambda#3}>"},
    {"_ZZNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEE12_M_constructIPKwEEvT_S8_St20forward_iterator_tagEN6_GuardD5Ev",
     "std::wstring::_M_construct<wchar_t const*>::_Guard::~_Guard"},
    {"_ZNSt8__detail21_Hashtable_ebo_helperILi0ESaINS_10_Hash_nodeISt4pairIKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiELb1EEEELb1EEC2Ev",
     "std::__detail::_Hashtable_ebo_helper<0, std::allocator<std::__detail::_Hash_node<std::pair<std::string const, int>, true>>, true>::_Hashtable_ebo_helper"},
    {"_ZNSolsEi",
     "std::ostream::operator<<"},
    {"_ZNSt10filesystem7__cxx114path5_ListD1Ev",
     "std::filesystem::path::_List::~_List"},
    {"_ZNSt8_Rb_treeINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4pairIKS5_St6vectorIiSaIiEEESt10_Select1stISB_ESt4lessIS5_ESaISB_EE10_Auto_nodeD1Ev",
     "std::_Rb_tree<std::string, std::pair<std::string const, std::vector<int>>, std::_Select1st<std::pair<std::string const, std::vector<int>>>>::_Auto_node::~_Auto_node"},
    {"_ZNSt8_Rb_treeINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4pairIKS5_St6vectorIiSaIiEEESt10_Select1stISB_ESt4lessIS5_ESaISB_EE12_M_drop_nodeEPSt13_Rb_tree_nodeISB_E",
     "std::_Rb_tree<std::string, std::pair<std::string const, std::vector<int>>, std::_Select1st<std::pair<std::string const, std::vector<int>>>>::_M_drop_node"},
    {"_ZSt7forwardIZ4mainEUlvE1_EOT_RNSt16remove_referenceIS1_E4typeE",
     "std::forward<main::{lambda#3}>"},
    {"_ZNSt17_Function_handlerIFiRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEZ4mainE3$_0E10_M_managerERSt9_Any_dataRKSB_St18_Manager_operation",
     "std::_Function_handler<int (std::string const&), main::{lambda#1}>::_M_manager"},
    {"_ZNSt10_Head_baseILm1ESt14default_deleteINSt6thread6_StateEELb1EEC1Ev",
     "std::_Head_base<1ul, std::default_delete<std::thread::_State>, true>::_Head_base"},
    {"_ZNSt10_Head_baseILm0EPNSt6thread6_StateELb0EEC5Ev",
     "std::_Head_base<0ul, std::thread::_State*, false>::_Head_base"},
    {"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
     "std::operator<<"},
    {"_ZNSt6chrono20__duration_cast_implINS_8durationIlSt5ratioILl1ELl1EEEES2_ILl1ELl1000EElLb1ELb0EE6__castIlS5_EES4_RKNS1_IT_T0_EE",
     "std::chrono::__duration_cast_impl<std::chrono::seconds, std::ratio<1l, 1000l>, long, true, false>::__cast<long, std::ratio<1l, 1000l>>"},
    {"_ZNSt8__detail16_Hashtable_allocISaINS_10_Hash_nodeISt4pairIKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiELb1EEEEED2Ev",
     "std::__detail::_Hashtable_alloc<std::allocator<std::__detail::_Hash_node<std::pair<std::string const, int>, true>>>::~_Hashtable_alloc"},
    {"_ZNKSt15__new_allocatorISt10unique_ptrIN2ns1SESt14default_deleteIS2_EEE11_M_max_sizeEv",
     "std::__new_allocator<std::unique_ptr<ns::S>>::_M_max_size"},
    {"_ZNSaISt10unique_ptrIN2ns1SESt14default_deleteIS1_EEED5Ev",
     "std::allocator<std::unique_ptr<ns::S>>::~allocator"},
    {"_ZN4llvm11raw_ostream5WHITEE",
     "llvm::raw_ostream::WHITE"},
    {"_ZNKSt14basic_ofstreamIwSt11char_traitsIwEE5rdbufEv",
     "std::wofstream::rdbuf"},
    {"_ZTSNSt8__detail11_AnyMatcherINSt7__cxx1112regex_traitsIcEELb0ELb1ELb0EEE",
     "std::__detail::_AnyMatcher<std::regex_traits<char>, false, true, false>"},
    {"_ZZNKSt7__cxx1112regex_traitsIcE16lookup_classnameIPKcEENS1_10_RegexMaskET_S6_bE12__classnamesB5cxx11",
     "std::regex_traits<char>::lookup_classname<char const*>::__classnames"},
    {"_ZNK5clang13GNUInlineAttr11printPrettyERN4llvm11raw_ostreamERKNS_14PrintingPolicyE",
     "clang::GNUInlineAttr::printPretty"},
    {"_ZN4llvm22HWAddressSanitizerPass13printPipelineERNS_11raw_ostreamENS_12function_refIFNS_9StringRefES4_EEE",
     "llvm::HWAddressSanitizerPass::printPipeline"},
    {"_ZTVSt7num_getIwSt19istreambuf_iteratorIwSt11char_traitsIwEEE",
     "std::num_get<wchar_t, std::istreambuf_iterator<wchar_t>>"},
    {"_ZNK4llvm3pdb20NativeFunctionSymbol4dumpERNS_11raw_ostreamEiNS0_16PdbSymbolIdFieldES4_",
     "llvm::pdb::NativeFunctionSymbol::dump"},
    {"_ZNSs18_S_construct_aux_2EmcRKSaIcE",
     "std::string::_S_construct_aux_2"},
    {"_ZNKSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEE8max_sizeEv",
     "std::wstring::max_size"},
    {"_ZNK4llvm25MachineFunctionProperties5printERNS_11raw_ostreamE",
     "llvm::MachineFunctionProperties::print"},
    {"_ZN4llvm6TripleC1EONSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
     "llvm::Triple::Triple"},
    {"_ZNK5clang20NoStackProtectorAttr11printPrettyERN4llvm11raw_ostreamERKNS_14PrintingPolicyE",
     "clang::NoStackProtectorAttr::printPretty"},
    {"_ZNK5clang4ento19CXXBaseObjectRegion17printPrettyAsExprERN4llvm11raw_ostreamE",
     "clang::ento::CXXBaseObjectRegion::printPrettyAsExpr"},
    {"_ZN4llvm5MCJIT46runStaticConstructorsDestructorsInModulePtrSetEbNS_19SmallPtrSetIteratorIPNS_6ModuleEEES4_",
     "llvm::MCJIT::runStaticConstructorsDestructorsInModulePtrSet"},
    {"_ZZNKSt8__detail11_AnyMatcherINSt7__cxx1112regex_traitsIcEELb0ELb1ELb0EEclEcE5__nul",
     "std::__detail::_AnyMatcher<std::regex_traits<char>, false, true, false>::operator()::__nul"},
    {"_ZN4llvm10IRComparerINS_6DCDataEE7compareEbSt8functionIFvbjRKNS_9FuncDataTIS1_EES7_EE",
     "llvm::IRComparer<llvm::DCData>::compare"},
    {"_ZN4llvm11Instruction11insertAfterENS_21ilist_iterator_w_bitsINS_12ilist_detail12node_optionsIS0_Lb0ELb0EvLb1ENS_10BasicBlockEEELb0ELb0EEE",
     "llvm::Instruction::insertAfter"},
    {"_ZN5clang30DynamicRecursiveASTVisitorBaseILb1EE28VisitOMPParallelForDirectiveEPKNS_23OMPParallelForDirectiveE",
     "clang::DynamicRecursiveASTVisitorBase<true>::VisitOMPParallelForDirective"},
    {"_ZN5clang23OMPGenericLoopDirective11CreateEmptyERKNS_10ASTContextEjjNS_4Stmt10EmptyShellE",
     "clang::OMPGenericLoopDirective::CreateEmpty"},
    {"_ZN4llvm20emitAMDGPUPrintfCallERNS_9IRBuilderINS_14ConstantFolderENS_24IRBuilderDefaultInserterEEENS_8ArrayRefIPNS_5ValueEEE",
     "llvm::emitAMDGPUPrintfCall"},
    {"_ZN4llvm15DWARFDebugFrame5parseENS_18DWARFDataExtractorE",
     "llvm::DWARFDebugFrame::parse"},
    {"_ZN4llvm25OuterAnalysisManagerProxyINS_15AnalysisManagerINS_6ModuleEJEEENS_8FunctionEJEE6Result10invalidateERS4_RKNS_17PreservedAnalysesERNS1_IS4_JEE11InvalidatorE",
     "llvm::OuterAnalysisManagerProxy<llvm::AnalysisManager<llvm::Module>, llvm::Function>::Result::invalidate"},
    {"_ZN4llvm2cl3optIcLb0ENS0_6parserIcEEE11setCallbackESt8functionIFvRKcEE",
     "llvm::cl::opt<char, false, llvm::cl::parser<char>>::setCallback"},
    {"_ZN5clang30DynamicRecursiveASTVisitorBaseILb0EE13VisitPipeTypeEPNS_8PipeTypeE",
     "clang::DynamicRecursiveASTVisitorBase<false>::VisitPipeType"},
    {"_ZN5clang4ento22PathDiagnosticConsumer20HandlePathDiagnosticESt10unique_ptrINS0_14PathDiagnosticESt14default_deleteIS3_EE",
     "clang::ento::PathDiagnosticConsumer::HandlePathDiagnostic"},
    {"_ZN4llvm17LibCallSimplifier14optimizeStrSpnEPNS_8CallInstERNS_13IRBuilderBaseE",
     "llvm::LibCallSimplifier::optimizeStrSpn"},
    {"_ZN5clang19RecursiveASTVisitorINS_16ParentMapContext9ParentMap10ASTVisitorEE18VisitOMPClauseListINS_22OMPHasDeviceAddrClauseEEEbPT_",
     "clang::RecursiveASTVisitor<clang::ParentMapContext::ParentMap::ASTVisitor>::VisitOMPClauseList<clang::OMPHasDeviceAddrClause>"},
    /* clang-format on */
};

/* Demangled names, in short, and with parameters. */
static const char *const by_hand[][3] = {
    {"main", "main", "main"},
    {"app+0x1234", "app+0x1234", "app+0x1234"},
    {"f(int)", "f", "f(int)"},
    {"ns::f(int, char const*) const", "ns::f", "ns::f(int, char const*) const"},
    {"void ns::sort<int*>(int*, int*) [clone .cold]", "ns::sort<int*>",
     "ns::sort<int*>(int*, int*)"},
    {"std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector<int>::push_back",
     "std::vector<int>::push_back(int&&)"},
    {"std::vector<int, Pool<int> >::push_back(int&&)", "std::vector<int, Pool<int>>::push_back",
     "std::vector<int, Pool<int>>::push_back(int&&)"},
    {"std::set<int, std::greater<int>, std::allocator<int> >::clear()",
     "std::set<int, std::greater<int>>::clear", "std::set<int, std::greater<int>>::clear()"},
    {"std::map<std::pair<int, int>, A<B<C> >, std::less<std::pair<int, int> >, "
     "std::allocator<std::pair<std::pair<int, int> const, A<B<C> > > > >::~map()",
     "std::map<std::pair<int, int>, A<B<C>>>::~map",
     "std::map<std::pair<int, int>, A<B<C>>>::~map()"},
    {"std::pair<int, std::less<int> >::swap()", "std::pair<int, std::less<int>>::swap",
     "std::pair<int, std::less<int>>::swap()"},
    {"mine::vector<int, std::allocator<int> >::at()", "mine::vector<int, std::allocator<int>>::at",
     "mine::vector<int, std::allocator<int>>::at()"},
    {"std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> "
     ">::c_str() "
     "const",
     "std::string::c_str", "std::string::c_str() const"},
    {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
     ">::basic_string(char const*)",
     "std::string::string", "std::string::string(char const*)"},
    {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
     ">::~basic_string()",
     "std::string::~string", "std::string::~string()"},
    {"std::chrono::_V2::steady_clock::now()", "std::chrono::steady_clock::now",
     "std::chrono::steady_clock::now()"},
    {"std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> "
     ">(std::basic_ostream<char, std::char_traits<char> >&, char const*)",
     "std::operator<<", "std::operator<<(std::ostream&, char const*)"},
    {"A<int>::operator()(int) const", "A<int>::operator()", "A<int>::operator()(int) const"},
    {"bool ns::operator!=<int*, A<B> >(A const&)", "ns::operator!=<int*, A<B>>",
     "ns::operator!=<int*, A<B>>(A const&)"},
    {"bool B::operator<(B const&)", "B::operator<", "B::operator<(B const&)"},
    {"bool B::operator< <int>(B const&)", "B::operator< <int>", "B::operator< <int>(B const&)"},
    {"B& B::operator>><int>(int)", "B::operator>><int>", "B::operator>><int>(int)"},
    {"A::operator->() const", "A::operator->", "A::operator->() const"},
    {"A::operator->*(int)", "A::operator->*", "A::operator->*(int)"},
    {"A::operator<=>(A const&) const", "A::operator<=>", "A::operator<=>(A const&) const"},
    {"C::operator bool() const", "C::operator bool", "C::operator bool() const"},
    {"C::operator std::vector<int, std::allocator<int> >() &&", "C::operator std::vector<int>",
     "C::operator std::vector<int>() &&"},
    {"C::operator void (*)(int)() const", "C::operator void (*)(int)",
     "C::operator void (*)(int)() const"},
    {"operator new(unsigned long)", "operator new", "operator new(unsigned long)"},
    {"operator delete[](void*, unsigned long)", "operator delete[]",
     "operator delete[](void*, unsigned long)"},
    {"operator\"\" _km(long double)", "operator\"\" _km", "operator\"\" _km(long double)"},
    {"operators::go(int)", "operators::go", "operators::go(int)"},
    {"(anonymous namespace)::helper<int>(int)", "(anon)::helper<int>", "(anon)::helper<int>(int)"},
    {"void (anonymous namespace)::A::go((anonymous namespace)::B)", "(anon)::A::go",
     "(anon)::A::go((anon)::B)"},
    {"run(int)::{lambda(int)#1}::operator()(int) const", "run::{lambda#1}",
     "run::{lambda#1}(int) const"},
    {"run(int)::{lambda(auto:1)#2}::operator()<char>(char) const", "run::{lambda#2}<char>",
     "run::{lambda#2}<char>(char) const"},
    {"run(int)::{lambda(int)#1}::_FUN(int)", "run::{lambda#1}::_FUN", "run::{lambda#1}::_FUN(int)"},
    {"A::run(int) const::{lambda()#1}::operator()() const::{lambda()#3}::operator()() const",
     "A::run::{lambda#1}::{lambda#3}", "A::run::{lambda#1}::{lambda#3}() const"},
    {"main::$_0::operator()(int) const", "main::{lambda#1}", "main::{lambda#1}(int) const"},
    {"f[abi:cxx11](int)", "f", "f(int)"},
    {"A::g[abi:v1]() const::Local::h()", "A::g::Local::h", "A::g::Local::h()"},
    {"void (&std::forward<void (&)(int)>(X&))(int)", "std::forward<void (&)(int)>",
     "std::forward<void (&)(int)>(X&)"},
    {"void (*pick<double>(double))(int)", "pick<double>", "pick<double>(double)"},
    {"decltype(auto) f<int>(int)", "f<int>", "f<int>(int)"},
    {"decltype (({parm#1})<({parm#2})) f<int>(int, int)", "f<int>", "f<int>(int, int)"},
    {"std::enable_if<((A<int>::value)>(2))&&(true), void>::type g<int>(int)", "g<int>",
     "g<int>(int)"},
    {"void call<&(handler(int))>(int)", "call<&(handler(int))>", "call<&(handler(int))>(int)"},
    {"std::function<int (std::__cxx11::basic_string<char, std::char_traits<char>, "
     "std::allocator<char> > const&)>::operator()(std::__cxx11::basic_string<char, "
     "std::char_traits<char>, std::allocator<char> > const&) const",
     "std::function<int (std::string const&)>::operator()",
     "std::function<int (std::string const&)>::operator()(std::string const&) const"},
    {"A<int (B::*)(char) const>::f()", "A<int (B::*)(char) const>::f",
     "A<int (B::*)(char) const>::f()"},
    {"A<int [3]>::f(int (&) [3])", "A<int [3]>::f", "A<int [3]>::f(int (&) [3])"},
    {"virtual thunk to A::f(int)", "virtual thunk to A::f", "virtual thunk to A::f(int)"},
    {"A::A(int) [base]", "A::A [base]", "A::A(int) [base]"},
    {"A::~A() [deleting]", "A::~A [deleting]", "A::~A() [deleting]"},
    /* not understood: as it is */
    {"f(", "f(", "f("},
    {"(int)", "(int)", "(int)"},
    {"f<int", "f<int", "f<int"},
    {"f)", "f)", "f)"},
    {"f<a(b>c)", "f<a(b>c)", "f<a(b>c)"},
    {"f<int>]()", "f<int>]()", "f<int>]()"},
    {"void ", "void ", "void "},
    {"{lambda", "{lambda", "{lambda"},
    {"operator", "operator", "operator"},
    {"", "", ""},
};

static void check_texts(void)
{
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++) {
        char *full = demangle(real[i][0]);
        char *text = full != NULL ? short_name(full, false) : NULL;
        check_string(real[i][1], text, full != NULL ? full : real[i][0]);
        check(short_name_applies(real[i][0]), "it applies to %s", real[i][0]);
        free(text);
        free(full);
    }
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++)
        for (int form = 0; form < 2; form++) {
            char *text = short_name(by_hand[i][0], form == 1);
            check_string(by_hand[i][1 + form], text, by_hand[i][0]);
            free(text);
        }
    check(!short_name_applies("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"),
          "Rust's names stay as they are");
    check(!short_name_applies("_RNvC3abc4main") && !short_name_applies("main") &&
              !short_name_applies("Zebra"),
          "names that are not C++'s stay as they are");
}

/* Cuts each name everywhere and exchanges a byte everywhere: no crash (with sanitizers), and nothing
 * longer than it may become. */
static void check_damaged(void)
{
    static const char bytes[] = "<>(){}[],: &#$~\"'o";
    size_t too_long = 0, tried = 0;
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        size_t length = strlen(by_hand[i][0]);
        for (size_t at = 0; at < length; at++) {
            char *copy = strdup(by_hand[i][0]);
            copy[at] = bytes[(at + i) % (sizeof bytes - 1)];
            for (int cut = 0; cut < 2; cut++) {
                copy[cut == 1 ? at : length] = '\0';
                char *text = short_name(copy, cut == 1);
                tried++;
                too_long += text == NULL || strlen(text) > 4 * length + 64;
                free(text);
            }
            free(copy);
        }
    }
    check(tried > 3000 && too_long == 0, "damaged names are bounded (%zu)", tried);
    for (const char *open = "<({["; *open != '\0'; open++) {
        char *deep = malloc(16001);
        memset(deep, *open, 16000);
        for (int i = 0; i < 16000; i += 2)
            deep[i] = 'a';
        deep[16000] = '\0';
        char *text = short_name(deep, false);
        check_string(deep, text, "brackets without end stay as they are");
        free(text);
        free(deep);
    }
}

/* ---- where functions meet ---- */

static const char *const meeting[][3] = {
    {"f(int)", "_Z1fi", "f(int)"}, /* overloads get their parameters */
    {"f(long)", "_Z1fl", "f(long)"},
    {"g(int)", "_Z1gi", "g"},
    {"A::begin()", "_Z1", "A::begin()"}, /* by their qualifier alone */
    {"A::begin() const", "_Z2", "A::begin() const"},
    {"int h<int>(int)", "_Z3", "int h<int>(int)"}, /* by their return type alone */
    {"long h<int>(int)", "_Z4", "long h<int>(int)"},
    {"k(int)", "_Z5", "k"}, /* static functions of two files are called the same */
    {"k(int)", "_Z5", "k"},
    {"m", NULL, "m"}, /* a C function keeps its name */
    {"m(int)", "_Z1mi", "m(int)"},
    {"n(int)", NULL, "n(int)"}, /* another has what would be the name: so it is full */
    {"void n<int>(int)", "_Z6", "n<int>"},
    {"n(char)", "_Z7", "n"},
    {"A::A(int)", "_Z8", "A::A"},
    {"A::A(int) [base]", "_Z9", "A::A [base]"},
};

static void check_meeting(void)
{
    struct short_names names = {0};
    struct error error;
    int failed = 0;
    for (size_t i = 0; i < sizeof meeting / sizeof meeting[0]; i++)
        failed |= short_names_add(&names, meeting[i][0], meeting[i][1], &error);
    check(failed == 0 && short_names_choose(&names, &error) == 0, "names are chosen");
    for (size_t i = 0; i < sizeof meeting / sizeof meeting[0]; i++)
        check_string(meeting[i][2], short_names_get(&names, i), meeting[i][0]);
    short_names_release(&names);
}

/* Names that push one another along: x, x(a), x(a)(b) ... each short form is another's longer one. */
static void check_chain(void)
{
    enum { LINKS = 40 };
    struct short_names names = {0};
    struct error error;
    char *full[LINKS];
    size_t length = 0, ambiguous = 0;
    for (size_t i = 0; i < LINKS; i++) {
        full[i] = malloc(4 * LINKS);
        length = 0;
        for (size_t k = 0; k <= i; k++)
            length += (size_t)sprintf(full[i] + length, k == 0 ? "x" : "(a)");
        must(short_names_add(&names, full[i], "_Z", &error) == 0);
    }
    check_equal(0, short_names_choose(&names, &error), "a chain of names ends");
    for (size_t i = 0; i < LINKS; i++)
        for (size_t k = 0; k < LINKS; k++)
            ambiguous +=
                i != k && strcmp(short_names_get(&names, i), short_names_get(&names, k)) == 0;
    check_equal(0, ambiguous, "and a name means one function");
    short_names_release(&names);
    for (size_t i = 0; i < LINKS; i++)
        free(full[i]);
}

/* However names are put side by side, only the arrows between them are found. */
static void check_arrow(void)
{
    static const char *const names[] = {"a",     "a => b", "a =>", "=> b", "=>",      " ",
                                        "a =",   "> b",    " =>",  "=> ",  " => => ", "operator=>",
                                        "a=> b", "",       "= >",  "a ",   " b"};
    enum { NAMES = sizeof names / sizeof names[0] };
    char *kept[NAMES];
    size_t wrong = 0;
    for (size_t i = 0; i < NAMES; i++)
        kept[i] = name_without_arrow(names[i]);
    for (size_t i = 0; i < NAMES * NAMES * NAMES; i++) {
        const char *parts[] = {kept[i % NAMES], kept[i / NAMES % NAMES], kept[i / NAMES / NAMES]};
        char text[200];
        snprintf(text, sizeof text, "%s" STACK_ARROW "%s" STACK_ARROW "%s", parts[0], parts[1],
                 parts[2]);
        const char *first = strstr(text, STACK_ARROW);
        const char *second = strstr(first + strlen(STACK_ARROW), STACK_ARROW);
        wrong += (size_t)(first - text) != strlen(parts[0]) || second == NULL ||
                 strcmp(second + strlen(STACK_ARROW), parts[2]) != 0;
    }
    check_equal(0, wrong, "a stack's functions can be told apart");
    check_string("operator=>", kept[11], "what is no arrow stays as it is");
    check_string("a =\\x3e b", kept[1], "an arrow is escaped");
    for (size_t i = 0; i < NAMES; i++)
        free(kept[i]);
}

int main(void)
{
    check_texts();
    check_damaged();
    check_meeting();
    check_chain();
    check_arrow();
    return check_status();
}
